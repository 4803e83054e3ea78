// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.TreeSet;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;

/** A response, and the operation that it came from. */
final class Exchange {
  /** Method and path as the document has them: {@code GET /hosts/{id}}. */
  final String operation;

  final int status;

  /** Without parameters; empty if there is none. */
  final String mediaType;

  final Set<String> headers;
  final String body;

  private Exchange(
      String operation, int status, String mediaType, Set<String> headers, String body) {
    this.operation = operation;
    this.status = status;
    this.mediaType = mediaType;
    this.headers = headers;
    this.body = body;
  }

  static Exchange of(String operation, Response response) {
    return new Exchange(
        operation,
        response.getStatus(),
        response.getMediaType() == null ? "" : withoutParameters(response.getMediaType()),
        new TreeSet<>(response.getHeaders().keySet()),
        response.readEntity(String.class));
  }

  private static String withoutParameters(MediaType type) {
    return type.getType() + "/" + type.getSubtype();
  }

  /** Whether the body is one JSON value. */
  boolean isJson() {
    return mediaType.endsWith("json");
  }

  /** The same with another body. */
  Exchange withBody(JsonNode other) {
    return new Exchange(operation, status, mediaType, headers, other.toString());
  }

  @Override
  public String toString() {
    return operation + " -> " + status + " " + mediaType + " " + body;
  }
}
