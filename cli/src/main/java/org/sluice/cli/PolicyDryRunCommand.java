// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;

/** Shows what a policy set would do. */
@Service
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-policy-dry-run",
    description =
        "Shows what congestion control policies would do now, and changes nothing: a preset"
            + " (opentcp1, opentcp2) or a JSON file")
public final class PolicyDryRunCommand extends PolicySetCommand {

  @Override
  void run(PolicySet set) throws SluiceException, JsonProcessingException {
    PolicyService policies = service(PolicyService.class);
    List<PolicyFinding> findings = policies.validate(set);
    PolicyPreview preview = policies.dryRun(set);
    if (outputJson()) {
      ObjectNode json = PolicyListings.FINDINGS.json(findings);
      json.setAll(PolicyListings.DECISIONS.json(preview.decisions()));
      json.setAll(PolicyListings.HINTS.json(preview.hints()));
      print("%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json));
      return;
    }
    if (!findings.isEmpty()) {
      print("%s", PolicyListings.FINDINGS.table(findings));
    }
    print("%s", PolicyListings.DECISIONS.table(preview.decisions()));
    print("%s", PolicyListings.HINTS.table(preview.hints()));
  }
}
