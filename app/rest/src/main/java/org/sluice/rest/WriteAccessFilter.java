// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.Set;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.ext.Provider;

/** Lets only the controller's administrators change anything. */
@Provider
public final class WriteAccessFilter implements ContainerRequestFilter {
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
  private static final String ROLE = "admin";

  @Override
  public void filter(ContainerRequestContext request) {
    if (!READING.contains(request.getMethod())
        && !request.getSecurityContext().isUserInRole(ROLE)) {
      request.abortWith(
          new Problem(403, "forbidden", "Forbidden", "Only administrators may change anything")
              .about("method", request.getMethod())
              .remedy("Authenticate as a user with the role " + ROLE)
              .response()
              .build());
    }
  }
}
