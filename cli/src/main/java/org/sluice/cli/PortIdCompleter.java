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
import org.sluice.api.PortService;

/** Completes switch ports, for users who see them. */
@Service
public final class PortIdCompleter implements Completer {
  private static final int NOTHING = -1;

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    if (!ShellLogin.caller().seesAll()) {
      return NOTHING;
    }
    List<String> all =
        AbstractShellCommand.get(PortService.class).ports().stream()
            .map(one -> one.id().toString())
            .collect(Collectors.toList());
    return new StringsCompleter(all).complete(session, commandLine, candidates);
  }
}
