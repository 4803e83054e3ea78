// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.ws.rs.DELETE;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.Host;
import org.sluice.api.HostAdminService;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.json.HostDto;

/** Hosts: list, read, take out of service. */
@Path("hosts")
@Produces(MediaType.APPLICATION_JSON)
public final class HostsResource {
  private final Services services;

  public HostsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public Map<String, List<HostDto>> list() throws SluiceException {
    List<Host> hosts = services.get(HostDirectory.class).hosts();
    return Map.of("hosts", hosts.stream().map(HostDto::new).collect(Collectors.toList()));
  }

  @GET
  @Path("{id}")
  public HostDto read(@PathParam("id") String id) throws SluiceException {
    return Ids.parse(id, HostId::of)
        .flatMap(services.get(HostDirectory.class)::host)
        .map(HostDto::new)
        .orElseThrow(() -> unknown(id));
  }

  /** Takes a host out of service whose agent is stopped. */
  @DELETE
  @Path("{id}")
  public Response retire(@PathParam("id") String id, @Context SecurityContext login)
      throws SluiceException {
    HostId host = Ids.parse(id, HostId::of).orElseThrow(() -> unknown(id));
    services.get(HostAdminService.class).retire(host, Callers.name(login));
    return Response.noContent().build();
  }

  private static SluiceException unknown(String id) {
    return SluiceException.notFound("id", id, "There is no such host");
  }
}
