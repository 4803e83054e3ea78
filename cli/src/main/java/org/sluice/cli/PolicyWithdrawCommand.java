// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.api.policy.PolicyService;

/** Ends all policies. */
@Service
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-policy-withdraw",
    description = "Ends all congestion control policies: hosts use their own TCP parameters again")
public final class PolicyWithdrawCommand extends PolicyCommand {

  @Override
  void run() throws SluiceException, JsonProcessingException {
    PolicyService policies = service(PolicyService.class);
    boolean isAnyInForce =
        policies.fault().isPresent() || policies.current().flatMap(PolicyRevision::set).isPresent();
    showRevisions(isAnyInForce ? List.of(policies.rollBack(0, user.get())) : List.of());
  }
}
