// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;

/** Lists flows with deadlines. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-flows",
    description = "Lists flows with deadlines, open and ended, newest first")
public final class FlowsCommand extends ListCommand {
  private static final int MAX_LISTED = 100_000;

  @Option(
      name = "-s",
      aliases = "--state",
      description = "Only flows in this state, such as sending or missed")
  @Completion(FlowStateCompleter.class)
  private String state;

  @Option(name = "-n", aliases = "--limit", description = "Maximum number of flows, newest first")
  private String limit = "50";

  @Override
  void list() throws SluiceException, JsonProcessingException {
    long most = Arguments.number("--limit", limit, 1, MAX_LISTED);
    Caller caller = caller();
    List<FlowStatus> flows = service(FlowService.class).flows();
    if (state != null) {
      FlowState wanted = FlowState.ofText(state);
      flows = flows.stream().filter(flow -> flow.state() == wanted).collect(Collectors.toList());
    }
    show(
        Listings.FLOWS,
        flows.stream()
            .filter(caller::sees)
            .sorted(Comparator.comparingLong(FlowStatus::id).reversed())
            .limit(most)
            .collect(Collectors.toList()));
  }
}
