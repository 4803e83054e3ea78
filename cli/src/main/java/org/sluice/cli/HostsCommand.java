// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.HostDirectory;
import org.sluice.api.PortService;

/** Lists hosts. */
@Service
@Needs(Permission.SEE_ALL)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-hosts",
    description = "Lists hosts that run the agent, and the kernel features that they lack")
public final class HostsCommand extends ListCommand {

  @Override
  void list() throws JsonProcessingException {
    show(Listings.hosts(service(PortService.class)::label), service(HostDirectory.class).hosts());
  }
}
