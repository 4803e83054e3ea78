// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;

/** Takes a host out of service. */
@Service
@Needs(Permission.CHANGE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-host-retire",
    description =
        "Takes a host out of service whose agent is stopped: it, its endpoints and their addresses"
            + " are forgotten until its agent connects again")
public final class HostRetireCommand extends SluiceCommand {
  @Argument(name = "id", description = "Host, such as h1", required = true, multiValued = true)
  @Completion(HostIdCompleter.class)
  private List<String> arguments;

  @Override
  void run() throws SluiceException {
    HostId host =
        Arguments.parse("id", only(arguments), HostId::of, "Use an id as sluice-hosts lists it");
    service(HostAdminService.class).retire(host, user.get());
  }
}
