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
import org.sluice.api.EndpointService;
import org.sluice.api.access.Caller;

/** Completes the endpoints that the user sees. */
@Service
public final class EndpointIdCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    Caller caller = ShellLogin.caller();
    List<String> all =
        AbstractShellCommand.get(EndpointService.class).endpoints().stream()
            .filter(caller::sees)
            .map(one -> one.id().toString())
            .collect(Collectors.toList());
    return new StringsCompleter(all).complete(session, commandLine, candidates);
  }
}
