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
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;
import org.sluice.api.SluiceException;
import org.sluice.json.FindingDto;

/** Findings about the installation. */
@Path("doctor")
@Produces(MediaType.APPLICATION_JSON)
public final class DoctorResource {
  private final Services services;

  public DoctorResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public Map<String, List<FindingDto>> examine() throws SluiceException {
    List<Finding> findings = services.get(DoctorService.class).examine();
    return Map.of("findings", findings.stream().map(FindingDto::new).collect(Collectors.toList()));
  }
}
