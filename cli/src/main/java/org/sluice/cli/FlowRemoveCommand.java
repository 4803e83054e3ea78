// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowAdminService;
import org.sluice.api.deadline.FlowStatus;

/** Withdraws the registration of a flow. */
@Service
@Needs(Permission.REGISTER)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-flow-remove",
    description =
        "Withdraws the registration of a flow and shows it; its connection continues without a"
            + " deadline")
public final class FlowRemoveCommand extends SluiceCommand {
  @Argument(
      name = "id",
      description = "Number of the registration",
      required = true,
      multiValued = true)
  @Completion(FlowIdCompleter.class)
  private List<String> arguments;

  @Override
  void run() throws SluiceException, JsonProcessingException {
    String id = only(arguments);
    long number = Arguments.number("id", id, 1, Long.MAX_VALUE);
    FlowAdminService flows = service(FlowAdminService.class).by(user.get());
    Caller caller = caller();
    Optional<FlowStatus> former = flows.flow(number);
    if (!caller.changesAll()
        && former.filter(flow -> caller.registersDeadlinesOf(flow.tenant())).isEmpty()) {
      throw SluiceException.notFound("id", id, "There is no such registration");
    }
    flows.remove(number);
    show(Listings.FLOWS, former.map(List::of).orElse(List.of()));
  }
}
