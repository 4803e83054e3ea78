// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.util.function.Supplier;
import javax.ws.rs.core.EntityTag;
import javax.ws.rs.core.Request;
import javax.ws.rs.core.Response;

/** Conditional requests (RFC 9110, section 13). */
final class Conditional {
  private Conditional() {}

  /**
   * What is read, with its tag; 304 without a body for those who have it already (If-None-Match).
   *
   * @param entity made only if it is needed
   */
  static Response read(Request request, EntityTag tag, Supplier<?> entity) {
    Response.ResponseBuilder unchanged = request.evaluatePreconditions(tag);
    return (unchanged == null ? Response.ok(entity.get()) : unchanged).tag(tag).build();
  }
}
