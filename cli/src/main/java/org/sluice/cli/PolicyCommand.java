// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.List;
import org.sluice.api.policy.PolicyFormat;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicySet;

/** What commands about policies have in common. */
abstract class PolicyCommand extends SluiceCommand {
  private static final int NANO_DIGITS = 9;

  final void showRevisions(List<PolicyRevision> revisions) throws JsonProcessingException {
    show(revisions(), revisions);
  }

  final Listing<PolicyRevision> revisions() {
    return PolicyListings.revisions(this::json);
  }

  private JsonNode json(PolicySet set) {
    try {
      return mapper().readTree(service(PolicyFormat.class).write(set));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("what was written cannot be read", e);
    }
  }

  /** T of a set, s. */
  static String seconds(PolicySet set) {
    return BigDecimal.valueOf(set.cycleNanos(), NANO_DIGITS).stripTrailingZeros().toPlainString();
  }
}
