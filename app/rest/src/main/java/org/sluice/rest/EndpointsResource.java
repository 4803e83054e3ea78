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
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.rest.json.EndpointDto;

/** Endpoints: list and read. */
@Path("endpoints")
@Produces(MediaType.APPLICATION_JSON)
public final class EndpointsResource {
  private final Services services;

  public EndpointsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public Map<String, List<EndpointDto>> list() throws SluiceException {
    List<Endpoint> endpoints = services.get(EndpointService.class).endpoints();
    return Map.of(
        "endpoints", endpoints.stream().map(EndpointDto::new).collect(Collectors.toList()));
  }

  @GET
  @Path("{host}/{interface}")
  public EndpointDto read(
      @PathParam("host") String host, @PathParam("interface") String interfaceName)
      throws SluiceException {
    EndpointService endpoints = services.get(EndpointService.class);
    return Ids.parse(host, HostId::of)
        .flatMap(id -> Ids.parse(interfaceName, name -> EndpointId.of(id, name)))
        .flatMap(endpoints::endpoint)
        .map(EndpointDto::new)
        .orElseThrow(
            () ->
                SluiceException.notFound(
                    "id", host + "/" + interfaceName, "There is no such endpoint"));
  }
}
