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
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;
import org.sluice.rest.json.Json;

/** Hosts: list and read. */
@Path("hosts")
@Produces(MediaType.APPLICATION_JSON)
public final class HostsResource {
  private final Services services;

  public HostsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public String list() throws SluiceException {
    ObjectNode json = Json.object();
    ArrayNode all = json.putArray("hosts");
    services.get(HostDirectory.class).hosts().forEach(host -> all.add(write(host)));
    return json.toString();
  }

  @GET
  @Path("{id}")
  public String read(@PathParam("id") String id) throws SluiceException {
    Optional<Host> host =
        Ids.parse(id, HostId::of).flatMap(services.get(HostDirectory.class)::host);
    if (host.isEmpty()) {
      throw SluiceException.notFound("id", id, "There is no such host");
    }
    return write(host.get()).toString();
  }

  private static ObjectNode write(Host host) {
    ObjectNode json =
        Json.object()
            .put("id", host.id().name())
            .put("connected", host.connected())
            .put("agentVersion", host.agentVersion())
            .put("uplink", host.uplink().isEmpty() ? null : host.uplink())
            .put("uplinkCapacityMbps", MegabitRate.fromBits(host.uplinkCapacityBitsPerSecond()))
            .put("endpointCount", host.endpointCount())
            .put("lastSeen", host.lastSeen().toString());
    ArrayNode ports = json.putArray("switchPorts");
    host.switchPorts().forEach(port -> ports.add(port.toString()));
    ArrayNode missing = json.putArray("missingFeatures");
    host.missingFeatures().forEach(missing::add);
    return json;
  }
}
