// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyService;

/** Puts an earlier policy set in force again. */
@Service
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-policy-rollback",
    description =
        "Puts the congestion control policies of an earlier revision in force again"
            + " (sluice-policies --history), as a new revision")
public final class PolicyRollbackCommand extends PolicyCommand {
  @Argument(
      name = "revision",
      description = "Its number, such as 3",
      required = true,
      multiValued = true)
  private List<String> arguments;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    String revision = only(arguments);
    long number = Arguments.number("revision", revision, 1, Long.MAX_VALUE);
    showRevisions(List.of(service(PolicyService.class).rollBack(number, user.get())));
  }
}
