// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import org.sluice.rest.json.Json;

/** An RFC 9457 problem document, with the field and value at fault and a remedy. */
final class Problem {
  static final MediaType MEDIA_TYPE = new MediaType("application", "problem+json");
  private static final String TYPE_PREFIX = "urn:sluice:problem:";
  private static final int MAX_VALUE_LENGTH = 200;

  private final int status;
  private final ObjectNode document = Json.object();

  /**
   * A problem.
   *
   * @param type what kind, a word that never changes
   * @param title the kind in words
   * @param detail this very case, in a sentence
   */
  Problem(int status, String type, String title, String detail) {
    this.status = status;
    document
        .put("type", TYPE_PREFIX + type)
        .put("title", title)
        .put("status", status)
        .put("detail", detail);
  }

  /** Names the field and the value at fault, unless they are empty. */
  Problem about(String field, String value) {
    if (!field.isEmpty()) {
      document.put("field", field);
    }
    if (!value.isEmpty()) {
      document.put(
          "value",
          value.length() <= MAX_VALUE_LENGTH
              ? value
              : value.substring(0, MAX_VALUE_LENGTH) + "...");
    }
    return this;
  }

  Problem remedy(String remedy) {
    document.put("remedy", remedy);
    return this;
  }

  /** Adds a number that belongs to this kind of problem; null if there is none. */
  Problem with(String name, BigDecimal value) {
    document.put(name, value);
    return this;
  }

  Response.ResponseBuilder response() {
    return Response.status(status).type(MEDIA_TYPE).entity(document.toString());
  }
}
