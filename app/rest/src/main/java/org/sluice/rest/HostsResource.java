// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.json.HostDto;

/** Hosts: list and read. */
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
        .orElseThrow(() -> SluiceException.notFound("id", id, "There is no such host"));
  }
}
