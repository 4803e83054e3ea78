// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerResponseContext;
import javax.ws.rs.container.ContainerResponseFilter;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.ext.Provider;

/**
 * Responses show the present state: they may not be cached, nor sniffed for another type, nor shown
 * within another page.
 */
@Provider
public final class ResponseHeadersFilter implements ContainerResponseFilter {
  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    response.getHeaders().putSingle(HttpHeaders.CACHE_CONTROL, "no-store");
    response.getHeaders().putSingle("X-Content-Type-Options", "nosniff");
    response.getHeaders().putSingle("X-Frame-Options", "DENY");
    response.getHeaders().putSingle("Content-Security-Policy", "frame-ancestors 'none'");
    if (response.getLocation() != null) {
      response.getHeaders().putSingle(HttpHeaders.LOCATION, response.getLocation().getRawPath());
    }
  }
}
