// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;

/** Puts a policy set in force. */
@Service
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-policy-apply",
    description =
        "Puts congestion control policies in force, in the place of those before: a preset"
            + " (opentcp1, opentcp2) or a JSON file")
public final class PolicyApplyCommand extends PolicySetCommand {

  @Override
  void run(PolicySet set) throws SluiceException, JsonProcessingException {
    PolicyService policies = service(PolicyService.class);
    List<PolicyFinding> findings = policies.validate(set);
    showRevisions(List.of(policies.apply(set, user.get())));
    if (!findings.isEmpty() && !outputJson()) {
      print("%s", PolicyListings.FINDINGS.table(findings));
    }
  }
}
