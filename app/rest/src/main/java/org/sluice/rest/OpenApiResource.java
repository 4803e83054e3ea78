// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.MediaType;

/** The description of this interface. */
@Path("openapi.json")
@Produces(MediaType.APPLICATION_JSON)
public final class OpenApiResource {
  private static final String DOCUMENT = "openapi.json";

  @GET
  @ForTenants
  public String read() throws IOException {
    try (InputStream document = OpenApiResource.class.getResourceAsStream(DOCUMENT)) {
      return new String(document.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
