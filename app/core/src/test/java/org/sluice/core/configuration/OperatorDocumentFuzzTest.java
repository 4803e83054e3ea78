// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;

/** Whatever stands in an operator's configuration, it holds or is refused. */
class OperatorDocumentFuzzTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @FuzzTest
  void anyConfiguration(byte[] text) {
    JsonNode json;
    try {
      json = MAPPER.readTree(text);
    } catch (IOException e) {
      return; // No platform takes it.
    }
    if (json == null || !json.isObject()) {
      return;
    }
    try {
      OperatorDocument document = OperatorDocument.read(json);
      assertThat(document.capacitiesBitsPerSecond().values()).allMatch(capacity -> capacity > 0);
      assertThat(document.tenants()).extracting(Tenant::id).doesNotHaveDuplicates();
    } catch (SluiceException e) {
      assertThat(e.getMessage()).isNotBlank();
      assertThat(e.remedy()).isNotBlank();
    }
  }
}
