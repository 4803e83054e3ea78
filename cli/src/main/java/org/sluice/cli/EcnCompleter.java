// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** Completes treatments of ECN. */
@Service
public final class EcnCompleter implements Completer {
  static final String PRESERVE = "preserve";
  static final List<String> TREATMENTS = List.of("clear", PRESERVE);

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    return new StringsCompleter(TREATMENTS).complete(session, commandLine, candidates);
  }
}
