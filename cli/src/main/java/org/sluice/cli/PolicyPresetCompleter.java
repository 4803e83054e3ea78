// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;

/** Completes presets of policies. */
@Service
public final class PolicyPresetCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    List<String> names =
        PolicyPresets.all().stream().map(PolicySet::name).collect(Collectors.toList());
    return new StringsCompleter(names).complete(session, commandLine, candidates);
  }
}
