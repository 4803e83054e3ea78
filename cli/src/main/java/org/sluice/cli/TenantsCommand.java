// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.TenantRateService;
import org.sluice.api.TenantService;
import org.sluice.api.access.Caller;

/** Lists tenants. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-tenants",
    description =
        "Lists tenants with weight, guarantee, ceilings and members, and what they were promised"
            + " beside what gets through")
public final class TenantsCommand extends ListCommand {

  @Override
  void list() throws JsonProcessingException {
    Caller caller = caller();
    show(
        Listings.tenants(service(TenantRateService.class)),
        service(TenantService.class).tenants().stream()
            .filter(tenant -> caller.sees(tenant.id()))
            .collect(Collectors.toList()));
  }
}
