// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.PathParam;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.queue.QueueService;
import org.sluice.json.QueuesDto;
import org.sluice.json.QueuesListDto;

/** What waits at switch ports. */
@Path("ports")
@Produces(MediaType.APPLICATION_JSON)
public final class QueuesResource {
  private final Services services;

  public QueuesResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  /** Of all ports whose queues are known. */
  @GET
  @Path("queues")
  public QueuesListDto list() throws SluiceException {
    QueueService queues = services.get(QueueService.class);
    List<QueuesDto> all = queues.queues().stream().map(QueuesDto::new).collect(Collectors.toList());
    return new QueuesListDto(all, queues.levelThresholdsBytes());
  }

  @GET
  @Path("{datapath}/{number}/queues")
  public QueuesDto read(@PathParam("datapath") String datapath, @PathParam("number") String number)
      throws SluiceException {
    String id = datapath + "/" + number;
    Optional<PortId> port = Ids.parse(id, PortId::parse);
    return port.flatMap(services.get(QueueService.class)::queues)
        .map(QueuesDto::new)
        .orElseThrow(
            () -> SluiceException.notFound("id", id, "Queues of such a port are not reported"));
  }
}
