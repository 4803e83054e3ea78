// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import org.sluice.api.SluiceException;
import org.sluice.api.topology.TopologyService;
import org.sluice.json.Json;
import org.sluice.json.TopologyDto;

/** Switches, links and attachments. */
@Path("topology")
@Produces(MediaType.APPLICATION_JSON)
public final class TopologyResource {
  private final Services services;

  public TopologyResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public Response read(@Context HttpHeaders headers) throws SluiceException {
    String text = Json.text(new TopologyDto(services.get(TopologyService.class).topology()));
    return new Conditional(headers).read(EntityTags.ofContent(text), () -> text);
  }
}
