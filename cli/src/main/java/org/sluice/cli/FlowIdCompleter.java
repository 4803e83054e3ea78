// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.onosproject.cli.AbstractShellCommand;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowAdminService;

/** Completes the numbers of the registered flows that the user sees and that have not ended. */
@Service
public final class FlowIdCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    Caller caller = ShellLogin.caller();
    List<String> all;
    try {
      all =
          AbstractShellCommand.get(FlowAdminService.class).flows().stream()
              .filter(flow -> !flow.state().isEnded() && caller.sees(flow))
              .map(flow -> String.valueOf(flow.id()))
              .collect(Collectors.toList());
    } catch (SluiceException e) {
      all = List.of(); // Too busy to answer: then nothing is offered.
    }
    return new StringsCompleter(all).complete(session, commandLine, candidates);
  }
}
