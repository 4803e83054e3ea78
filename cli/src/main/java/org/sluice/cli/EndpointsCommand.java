// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointService;
import org.sluice.api.PortService;
import org.sluice.api.access.Caller;

/** Lists endpoints. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-endpoints",
    description =
        "Lists endpoints with their tenants, attachments, limits in force, and what they send")
public final class EndpointsCommand extends ListCommand {
  @Option(name = "-t", aliases = "--tenant", description = "Only endpoints of this tenant")
  @Completion(TenantIdCompleter.class)
  private String tenant;

  @Option(name = "-h", aliases = "--host", description = "Only endpoints on this host")
  @Completion(HostIdCompleter.class)
  private String host;

  @Option(name = "--throttled", description = "Only endpoints that a limit holds back")
  private boolean throttled;

  @Override
  void list() throws JsonProcessingException {
    Caller caller = caller();
    List<Endpoint> shown =
        service(EndpointService.class).endpoints().stream()
            .filter(caller::sees)
            .filter(endpoint -> tenant == null || endpoint.tenant().name().equals(tenant))
            .filter(endpoint -> host == null || endpoint.id().host().name().equals(host))
            .filter(endpoint -> !throttled || endpoint.traffic().heldBack())
            .collect(Collectors.toList());
    show(Listings.endpoints(service(PortService.class)::label), shown);
  }
}
