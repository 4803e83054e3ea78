// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicySet;

/** Any body is read as a policy set that comes back the same, or refused with field and remedy. */
class PolicyBodiesFuzzTest {

  @FuzzTest
  void anyPolicySet(byte[] body) throws IOException {
    PolicySet set;
    try {
      ObjectNode json = RequestBody.readObject(new ByteArrayInputStream(body));
      set = PolicyJson.read(json, "");
    } catch (SluiceException e) {
      assertThat(e.kind()).isEqualTo(SluiceException.Kind.INVALID);
      assertThat(e.field()).isPresent();
      assertThat(e.getMessage()).isNotBlank();
      assertThat(e.remedy()).isNotBlank();
      return;
    }
    try {
      assertThat(PolicyJson.read(PolicyJson.write(set), "")).isEqualTo(set);
    } catch (SluiceException e) {
      throw new AssertionError("what was accepted is refused: " + e.field(), e);
    }
    set.policies()
        .forEach(
            policy ->
                assertThat(policy.hint().initialWindowSegments())
                    .isBetween(0, set.constraints().mostInitialWindowSegments()));
  }
}
