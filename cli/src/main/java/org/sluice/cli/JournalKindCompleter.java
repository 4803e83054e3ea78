// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.sluice.api.JournalEntry;

/** Completes the kinds of journal entries. */
@Service
public final class JournalKindCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine line, List<String> candidates) {
    StringsCompleter completer = new StringsCompleter();
    for (JournalEntry.Kind kind : JournalEntry.Kind.values()) {
      completer.getStrings().add(kind.text());
    }
    return completer.complete(session, line, candidates);
  }
}
