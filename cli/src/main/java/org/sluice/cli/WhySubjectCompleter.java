// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;

/** Completes what can be explained: the endpoints and the registered flows that the user sees. */
@Service
public final class WhySubjectCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    int endpoints = new EndpointIdCompleter().complete(session, commandLine, candidates);
    int flows = new FlowIdCompleter().complete(session, commandLine, candidates);
    return Math.max(endpoints, flows);
  }
}
