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
import javax.ws.rs.core.SecurityContext;
import javax.ws.rs.core.UriInfo;
import org.sluice.api.SluiceException;
import org.sluice.api.access.Caller;
import org.sluice.api.history.RateHistoryService;
import org.sluice.json.RateMomentDto;

/** What tenants got in the last hour. */
@Path("history")
@Produces(MediaType.APPLICATION_JSON)
public final class HistoryResource {
  private static final String SECONDS = "seconds";

  private final Services services;

  public HistoryResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  @ForTenants
  @Takes(SECONDS)
  public Map<String, List<RateMomentDto>> read(@Context UriInfo uri, @Context SecurityContext login)
      throws SluiceException {
    Caller caller = Callers.of(login);
    long seconds =
        new QueryParameters(uri)
            .number(SECONDS, 1, RateHistoryService.SECONDS)
            .orElse((long) RateHistoryService.SECONDS);
    return Map.of(
        "moments",
        services.get(RateHistoryService.class).moments((int) seconds).stream()
            .map(moment -> new RateMomentDto(moment, caller))
            .collect(Collectors.toList()));
  }
}
