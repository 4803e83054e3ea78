// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.container.PreMatching;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.ext.Provider;

/**
 * Refuses whoever is no user of the controller. The container logs users in by its own realm, as
 * web.xml says, when their identity is requested; were it to refuse them itself, its response would
 * be a page, or nothing at all.
 */
@Provider
@PreMatching
public final class LoginFilter implements ContainerRequestFilter {
  private static final String CHALLENGE = "Basic realm=\"karaf\"";

  @Override
  public void filter(ContainerRequestContext request) {
    if (!isLoggedIn(request)) {
      request.abortWith(
          new Problem(
                  401,
                  "unauthorized",
                  "Unauthorized",
                  "The request names no user of the controller, or not with its password")
              .remedy("Authenticate (HTTP Basic) as a user of the controller")
              .response()
              .header(HttpHeaders.WWW_AUTHENTICATE, CHALLENGE)
              .build());
    }
  }

  private static boolean isLoggedIn(ContainerRequestContext request) {
    try {
      return request.getSecurityContext().getUserPrincipal() != null;
    } catch (IllegalArgumentException e) {
      // Jetty's of an Authorization that is no Base64.
      return false;
    }
  }
}
