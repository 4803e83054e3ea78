// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
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
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.SluiceException;
import org.sluice.rest.json.Json;

/** Endpoints: list and read. */
@Path("endpoints")
@Produces(MediaType.APPLICATION_JSON)
public final class EndpointsResource {
  private final Services services;

  public EndpointsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public String list() throws SluiceException {
    ObjectNode json = Json.object();
    ArrayNode all = json.putArray("endpoints");
    services.get(EndpointService.class).endpoints().forEach(endpoint -> all.add(write(endpoint)));
    return json.toString();
  }

  @GET
  @Path("{host}/{interface}")
  public String read(@PathParam("host") String host, @PathParam("interface") String interfaceName)
      throws SluiceException {
    EndpointService endpoints = services.get(EndpointService.class);
    Optional<Endpoint> endpoint =
        Ids.parse(host, HostId::of)
            .flatMap(id -> Ids.parse(interfaceName, name -> EndpointId.of(id, name)))
            .flatMap(endpoints::endpoint);
    if (endpoint.isEmpty()) {
      throw SluiceException.notFound("id", host + "/" + interfaceName, "There is no such endpoint");
    }
    return write(endpoint.get()).toString();
  }

  private static ObjectNode write(Endpoint endpoint) {
    ObjectNode json =
        Json.object()
            .put("id", endpoint.id().toString())
            .put("host", endpoint.id().host().name())
            .put("interface", endpoint.id().interfaceName())
            .put("mac", endpoint.mac().toString());
    ArrayNode ips = json.putArray("ips");
    endpoint.ips().stream().sorted().forEach(ip -> ips.add(ip.toString()));
    json.put("tenant", endpoint.tenant().name())
        .put("attachment", endpoint.attachment().map(PortId::toString).orElse(null));
    if (endpoint.rateBitsPerSecond() > 0) {
      json.put("limitMbps", MegabitRate.fromBits(endpoint.rateBitsPerSecond()));
    } else {
      json.putNull("limitMbps");
    }
    ArrayNode limits = json.putArray("limits");
    for (PortLimit limit : endpoint.limits()) {
      limits
          .addObject()
          .put("port", limit.port().toString())
          .put("rateMbps", MegabitRate.fromBits(limit.rateBitsPerSecond()))
          .put("ceShare", Json.rounded(limit.ceShare()));
    }
    return json;
  }
}
