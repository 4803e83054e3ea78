// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.nio.charset.StandardCharsets;
import javax.ws.rs.container.ContainerRequestContext;
import javax.ws.rs.container.ContainerRequestFilter;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.ext.Provider;

/** Refuses bodies that are announced in another encoding than JSON has (RFC 8259). */
@Provider
public final class CharsetFilter implements ContainerRequestFilter {
  @Override
  public void filter(ContainerRequestContext request) {
    MediaType type = request.getMediaType();
    String charset = type == null ? null : type.getParameters().get(MediaType.CHARSET_PARAMETER);
    if (charset != null && !charset.equalsIgnoreCase(StandardCharsets.UTF_8.name())) {
      request.abortWith(
          Problem.notJson(request.getHeaderString(HttpHeaders.CONTENT_TYPE)).response().build());
    }
  }
}
