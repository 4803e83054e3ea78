// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import java.util.stream.Collectors;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;
import org.sluice.json.AccessDto;

/** What the requesting user may see and do. */
@Path("access")
@Produces(MediaType.APPLICATION_JSON)
public final class AccessResource {
  private final Services services;

  public AccessResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  @ForTenants
  public AccessDto read(@Context SecurityContext login) throws SluiceException {
    Caller caller = Callers.of(login);
    List<TenantId> own =
        services.get(TenantAdminService.class).tenants().stream()
            .map(Tenant::id)
            .filter(caller::owns)
            .collect(Collectors.toList());
    return new AccessDto(caller, own);
  }
}
