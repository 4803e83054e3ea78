// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.DoctorService;
import org.sluice.api.Finding;
import org.sluice.api.SluiceException;
import org.sluice.rest.json.Json;

/** What is not as it should be. */
@Path("doctor")
@Produces(MediaType.APPLICATION_JSON)
public final class DoctorResource {
  private final Services services;

  public DoctorResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public String examine() throws SluiceException {
    ObjectNode json = Json.object();
    ArrayNode all = json.putArray("findings");
    for (Finding finding : services.get(DoctorService.class).examine()) {
      all.addObject()
          .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
          .put("about", finding.about())
          .put("what", finding.what())
          .put("remedy", finding.remedy());
    }
    return json.toString();
  }
}
