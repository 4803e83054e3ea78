// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;
import org.sluice.rest.json.Json;

/** Switch ports: list and read. */
@Path("ports")
@Produces(MediaType.APPLICATION_JSON)
public final class PortsResource {
  private final Services services;

  public PortsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public String list() throws SluiceException {
    ObjectNode json = Json.object();
    ArrayNode all = json.putArray("ports");
    Map<String, CounterSource> sources = sources();
    services.get(PortService.class).ports().forEach(port -> all.add(write(port, sources)));
    return json.toString();
  }

  @GET
  @Path("{datapath}/{number}")
  public String read(@PathParam("datapath") String datapath, @PathParam("number") String number)
      throws SluiceException {
    String id = datapath + "/" + number;
    Optional<PortStatus> port =
        Ids.parse(id, PortId::parse).flatMap(services.get(PortService.class)::port);
    if (port.isEmpty()) {
      throw SluiceException.notFound("id", id, "There is no such port");
    }
    return write(port.get(), sources()).toString();
  }

  /** Where the numbers of each switch come from; without fast counters or slow, from nowhere. */
  private Map<String, CounterSource> sources() {
    Map<String, CounterSource> sources = new HashMap<>();
    services
        .find(CounterService.class)
        .map(CounterService::switches)
        .orElse(List.of())
        .forEach(counters -> sources.put(counters.datapath(), counters.source()));
    return sources;
  }

  private static ObjectNode write(PortStatus port, Map<String, CounterSource> sources) {
    ObjectNode json =
        Json.object()
            .put("id", port.id().toString())
            .put("capacityMbps", MegabitRate.fromBits(port.capacityBitsPerSecond()))
            .put("capacitySource", port.capacitySource().name().toLowerCase(Locale.ROOT))
            .put("congested", port.congested())
            .put("estimated", port.estimated())
            .put(
                "marksFrom",
                port.marksFrom().map(source -> source.name().toLowerCase(Locale.ROOT)).orElse(null))
            .put("ceShare", Json.rounded(port.ceShare()))
            .put("loadMbps", MegabitRate.fromBits(port.loadBitsPerSecond()));
    if (port.unitShareBitsPerSecond() > 0) {
      json.put("unitShareMbps", MegabitRate.fromBits(port.unitShareBitsPerSecond()));
    } else {
      json.putNull("unitShareMbps");
    }
    return json.put("activeEndpoints", port.activeEndpoints())
        .put("activeWeight", Json.rounded(port.activeWeight()))
        .put(
            "countersFrom",
            sources
                .getOrDefault(port.id().datapath(), CounterSource.NONE)
                .name()
                .toLowerCase(Locale.ROOT));
  }
}
