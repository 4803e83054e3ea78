// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;

/** Any body is read as a valid request, or refused with field and remedy. */
class FlowBodiesFuzzTest {

  @FuzzTest
  void anyFlow(byte[] body) throws IOException {
    ObjectNode json;
    try {
      json = RequestBody.readObject(new ByteArrayInputStream(body));
    } catch (SluiceException e) {
      explained(e);
      return;
    }
    try {
      DeadlineRequest request = FlowJson.read(json, Instant.EPOCH);
      assertThat(request.sizeBytes()).isNotNegative();
      assertThat(request.flow().source()).isNotEqualTo(request.flow().destination());
    } catch (SluiceException e) {
      explained(e);
    }
    try {
      FlowJson.Change change = FlowJson.readChange(json, Instant.EPOCH);
      assertThat(change.sizeBytes.isPresent() || change.dueInNanos.isPresent()).isTrue();
    } catch (SluiceException e) {
      explained(e);
    }
  }

  private static void explained(SluiceException e) {
    assertThat(e.kind()).isEqualTo(SluiceException.Kind.INVALID);
    assertThat(e.field()).isPresent();
    assertThat(e.getMessage()).isNotBlank();
    assertThat(e.remedy()).isNotBlank();
  }
}
