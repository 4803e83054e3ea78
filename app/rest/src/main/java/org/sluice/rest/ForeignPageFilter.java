// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import javax.ws.rs.Consumes;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.container.ResourceInfo;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.ext.Provider;

/**
 * Refuses changes that a page of another origin may have a browser send with its user's password:
 * those that say so, and those without anything that such a page cannot send by itself. A body's
 * type has to be JSON's, and what has no body needs {@link #MARK}: browsers ask for leave before
 * they send either to another origin, and nobody gives it.
 */
@Provider
public final class ForeignPageFilter implements ContainerRequestFilter {
  static final String MARK = "X-Requested-With";
  private static final String ORIGIN = "Origin";
  private static final String SITE = "Sec-Fetch-Site";

  /** Of the page's own origin; of the user alone, who typed it. */
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  @Context private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext request) {
    if (AccessFilter.READING.contains(request.getMethod())) {
      return;
    }
    String site = request.getHeaderString(SITE);
    String origin = request.getHeaderString(ORIGIN);
    if (site != null && !OWN_SITES.contains(site)) {
      refuse(request, SITE, site);
    } else if (site == null && origin != null && !isOwn(origin, request)) {
      refuse(request, ORIGIN, origin);
    } else if (resource.getResourceMethod().isAnnotationPresent(Consumes.class)) {
      if (request.getMediaType() == null) {
        request.abortWith(Problem.notJson("").response().build());
      }
    } else if (request.getHeaderString(MARK) == null) {
      request.abortWith(
          new Problem(
                  403,
                  "forbidden",
                  "Forbidden",
                  "A page of another origin could have sent this: a change without a body needs"
                      + " the header "
                      + MARK)
              .about(MARK, "")
              .remedy("Send " + MARK + ": sluice")
              .response()
              .build());
    }
  }

  /** Browsers that send no site send the origin; a proxy in between has to keep the host. */
  private static boolean isOwn(String origin, ContainerRequestContext request) {
    try {
      String authority = new URI(origin).getRawAuthority();
      return authority != null
          && authority.equalsIgnoreCase(request.getHeaderString(HttpHeaders.HOST));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static void refuse(ContainerRequestContext request, String header, String value) {
    request.abortWith(
        new Problem(
                403, "forbidden", "Forbidden", "Pages of another origin may not change anything")
            .about(header, value)
            .remedy(
                "Use the controller's own page; a proxy before the controller has to pass the"
                    + " header Host on")
            .response()
            .build());
  }
}
