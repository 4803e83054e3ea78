// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerResponseContext;
import javax.ws.rs.container.ContainerResponseFilter;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.Response;
import javax.ws.rs.ext.Provider;
import org.sluice.api.cluster.ClusterService;

/**
 * Responses show the present state: they may not be cached, nor sniffed for another type, nor shown
 * within another page.
 */
@Provider
public final class ResponseHeadersFilter implements ContainerResponseFilter {
  /** On every response of a node that the cluster's store does not answer: what it shows is old. */
  static final String CUT_OFF = "Sluice-Cut-Off";

  private static final String CONTROL_CHARACTERS = "\\p{Cntrl}";

  private final Services services;

  public ResponseHeadersFilter(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    response.getHeaders().putSingle(HttpHeaders.CACHE_CONTROL, "no-store");
    response.getHeaders().putSingle("X-Content-Type-Options", "nosniff");
    if (response.getStatus() != Response.Status.UNAUTHORIZED.getStatusCode()) {
      services
          .find(ClusterService.class)
          .map(ClusterService::storeFault)
          .filter(fault -> !fault.isEmpty())
          .ifPresent(
              fault ->
                  response
                      .getHeaders()
                      .putSingle(CUT_OFF, fault.replaceAll(CONTROL_CHARACTERS, " ")));
    }
    response.getHeaders().putSingle("X-Frame-Options", "DENY");
    response.getHeaders().putSingle("Content-Security-Policy", "frame-ancestors 'none'");
    if (response.getLocation() != null) {
      response.getHeaders().putSingle(HttpHeaders.LOCATION, response.getLocation().getRawPath());
    }
  }
}
