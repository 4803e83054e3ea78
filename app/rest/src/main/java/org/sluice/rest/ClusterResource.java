// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.SluiceException;
import org.sluice.api.cluster.ClusterService;
import org.sluice.json.ClusterDto;

/** The controllers' cluster, as this node sees it. */
@Path("cluster")
@Produces(MediaType.APPLICATION_JSON)
public final class ClusterResource {
  private final Services services;

  public ClusterResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public ClusterDto cluster() throws SluiceException {
    return new ClusterDto(services.get(ClusterService.class).status());
  }
}
