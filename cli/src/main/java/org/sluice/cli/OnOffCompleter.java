// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** Completes on and off. */
@Service
public final class OnOffCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    return new StringsCompleter(OverlayCommand.STATES).complete(session, commandLine, candidates);
  }
}
