// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.SecurityContext;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowService;
import org.sluice.json.DeadlinesDto;

/** Registrations by tenant and state, and ports where windows are allocated. */
@Path("deadlines")
@Produces(MediaType.APPLICATION_JSON)
public final class DeadlinesResource {
  private final Services services;

  public DeadlinesResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  @ForTenants
  public DeadlinesDto read(@Context SecurityContext login) throws SluiceException {
    return new DeadlinesDto(Callers.of(login).seen(services.get(FlowService.class).deadlines()));
  }
}
