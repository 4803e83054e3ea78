// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.SluiceException;
import org.sluice.api.queue.QueueService;
import org.sluice.json.CapDto;

/** What background flows may send towards ports where short flows wait. */
@Path("caps")
@Produces(MediaType.APPLICATION_JSON)
public final class CapsResource {
  private final Services services;

  public CapsResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public Map<String, List<CapDto>> list() throws SluiceException {
    return Map.of(
        "caps",
        services.get(QueueService.class).caps().stream()
            .map(CapDto::new)
            .collect(Collectors.toList()));
  }
}
