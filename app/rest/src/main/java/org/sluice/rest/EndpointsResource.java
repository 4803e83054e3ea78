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
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.why.ExplanationService;
import org.sluice.json.EndpointDto;
import org.sluice.json.ExplanationDto;

/** Endpoints: list, read, and why they get what they get. */
@Path("endpoints")
@Produces(MediaType.APPLICATION_JSON)
public final class EndpointsResource {
  private final Services services;

  public EndpointsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  @ForTenants
  public Map<String, List<EndpointDto>> list(@Context SecurityContext login)
      throws SluiceException {
    Caller caller = Callers.of(login);
    List<Endpoint> endpoints = services.get(EndpointService.class).endpoints();
    return Map.of(
        "endpoints",
        endpoints.stream().filter(caller::sees).map(EndpointDto::new).collect(Collectors.toList()));
  }

  /** One; another tenant's is as unknown to a tenant's user as one that does not exist. */
  @GET
  @Path("{host}/{interface}")
  @ForTenants
  public EndpointDto read(
      @PathParam("host") String host,
      @PathParam("interface") String interfaceName,
      @Context SecurityContext login)
      throws SluiceException {
    return new EndpointDto(find(host, interfaceName, Callers.of(login)));
  }

  /** Why one gets no more than it does; a tenant's user does not see who else there is. */
  @GET
  @Path("{host}/{interface}/why")
  @ForTenants
  public ExplanationDto why(
      @PathParam("host") String host,
      @PathParam("interface") String interfaceName,
      @Context SecurityContext login)
      throws SluiceException {
    Caller caller = Callers.of(login);
    Endpoint endpoint = find(host, interfaceName, caller);
    return new ExplanationDto(services.get(ExplanationService.class).why(endpoint, caller));
  }

  private Endpoint find(String host, String interfaceName, Caller caller) throws SluiceException {
    EndpointService endpoints = services.get(EndpointService.class);
    return Ids.parse(host, HostId::of)
        .flatMap(id -> Ids.parse(interfaceName, name -> EndpointId.of(id, name)))
        .flatMap(endpoints::endpoint)
        .filter(caller::sees)
        .orElseThrow(
            () ->
                SluiceException.notFound(
                    "id", host + "/" + interfaceName, "There is no such endpoint"));
  }
}
