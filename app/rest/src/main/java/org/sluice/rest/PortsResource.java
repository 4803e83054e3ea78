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
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterService;
import org.sluice.api.counters.CounterSource;
import org.sluice.json.PortDto;

/** Switch ports: list and read. */
@Path("ports")
@Produces(MediaType.APPLICATION_JSON)
public final class PortsResource {
  private final Services services;

  public PortsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public Map<String, List<PortDto>> list() throws SluiceException {
    List<PortStatus> ports = services.get(PortService.class).ports();
    Map<String, CounterSource> sources = sources();
    return Map.of(
        "ports", ports.stream().map(port -> dto(port, sources)).collect(Collectors.toList()));
  }

  @GET
  @Path("{datapath}/{number}")
  public PortDto read(@PathParam("datapath") String datapath, @PathParam("number") String number)
      throws SluiceException {
    String id = datapath + "/" + number;
    return Ids.parse(id, PortId::parse)
        .flatMap(services.get(PortService.class)::port)
        .map(port -> dto(port, sources()))
        .orElseThrow(() -> SluiceException.notFound("id", id, "There is no such port"));
  }

  /** Where each switch's counters come from; none where another node is its master. */
  private Map<String, CounterSource> sources() {
    return services.find(CounterService.class).map(CounterService::sources).orElse(Map.of());
  }

  private static PortDto dto(PortStatus port, Map<String, CounterSource> sources) {
    return new PortDto(port, sources.getOrDefault(port.id().datapath(), CounterSource.NONE));
  }
}
