// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.CommandLine;
import org.apache.karaf.shell.api.console.Completer;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.onosproject.cli.AbstractShellCommand;
import org.onosproject.net.device.DeviceService;

/** Completes bridges of switches that are connected. */
@Service
public final class BridgeCompleter implements Completer {

  @Override
  public int complete(Session session, CommandLine commandLine, List<String> candidates) {
    Bridges bridges = Bridges.of(AbstractShellCommand.get(DeviceService.class));
    return new StringsCompleter(bridges.names()).complete(session, commandLine, candidates);
  }
}
