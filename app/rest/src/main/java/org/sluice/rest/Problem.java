// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import javax.ws.rs.core.HttpHeaders;
import javax.ws.rs.core.Response;

/** An RFC 9457 problem document, with the field and value at fault and a remedy. */
@JsonPropertyOrder({"type", "title", "status", "detail", "field", "value", "remedy"})
@JsonInclude(JsonInclude.Include.NON_NULL)
class Problem {
  static final String MEDIA_TYPE = "application/problem+json";
  private static final String TYPE_PREFIX = "urn:sluice:problem:";
  private static final int MAX_VALUE_LENGTH = 200;

  @JsonProperty private final String type;
  @JsonProperty private final String title;
  @JsonProperty private final int status;
  @JsonProperty private final String detail;
  @JsonProperty private String field;
  @JsonProperty private String value;
  @JsonProperty private String remedy;

  /**
   * A problem.
   *
   * @param type identifies the kind; never changes
   * @param title the kind, for people
   * @param detail this case, in a sentence
   */
  Problem(int status, String type, String title, String detail) {
    this.type = TYPE_PREFIX + type;
    this.title = title;
    this.status = status;
    this.detail = detail;
  }

  /** A body of a type that is not taken. */
  static Problem notJson(String contentType) {
    return new Problem(
            415,
            "unsupported-media-type",
            "Unsupported media type",
            "The body must be JSON, in UTF-8")
        .about(HttpHeaders.CONTENT_TYPE, contentType)
        .remedy("Send Content-Type: application/json");
  }

  /** Names the field and the value at fault, unless they are empty. */
  final Problem about(String field, String value) {
    if (!field.isEmpty()) {
      this.field = field;
    }
    if (!value.isEmpty()) {
      this.value =
          value.length() <= MAX_VALUE_LENGTH ? value : value.substring(0, MAX_VALUE_LENGTH) + "...";
    }
    return this;
  }

  final Problem remedy(String remedy) {
    this.remedy = remedy;
    return this;
  }

  final Response.ResponseBuilder response() {
    return Response.status(status).type(MEDIA_TYPE).entity(this);
  }
}
