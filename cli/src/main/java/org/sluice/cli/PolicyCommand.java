// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.sluice.api.policy.PolicyRevision;

/** What commands that change policies have in common. */
abstract class PolicyCommand extends SluiceCommand {

  final void showRevisions(List<PolicyRevision> revisions) throws JsonProcessingException {
    show(PolicyListings.REVISIONS, revisions);
  }
}
