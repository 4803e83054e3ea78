// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.sluice.api.deadline.FlowState;

/** Completes the states of flows. */
@Service
public final class FlowStateCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine line, List<String> candidates) {
    StringsCompleter completer = new StringsCompleter();
    for (FlowState state : FlowState.values()) {
      completer.getStrings().add(state.text());
    }
    return completer.complete(session, line, candidates);
  }
}
