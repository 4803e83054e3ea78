// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import javax.ws.rs.core.Response;
import javax.ws.rs.ext.ExceptionMapper;
import javax.ws.rs.ext.Provider;
import org.sluice.api.SluiceException;

/** Maps the refusals of services to problem documents. */
@Provider
public final class SluiceExceptionMapper implements ExceptionMapper<SluiceException> {
  @Override
  public Response toResponse(SluiceException refusal) {
    return problem(refusal)
        .about(refusal.field().orElse(""), refusal.value())
        .remedy(refusal.remedy())
        .response()
        .build();
  }

  /** Its document, without field, value and remedy. */
  static Problem problem(SluiceException refusal) {
    switch (refusal.kind()) {
      case INVALID:
        return new Problem(400, "invalid", "Invalid request", refusal.getMessage());
      case TOO_LARGE:
        return new Problem(413, "too-large", "Content too large", refusal.getMessage());
      case NOT_FOUND:
        return new Problem(404, "not-found", "Not found", refusal.getMessage());
      case CONFLICT:
        return new Problem(409, "conflict", "Conflict", refusal.getMessage());
      case UNCONFIRMED:
        return new Problem(409, "unconfirmed", "Unconfirmed", refusal.getMessage());
      case STALE:
        return new Problem(412, "stale", "Precondition failed", refusal.getMessage());
      case UNAVAILABLE:
        return new Problem(503, "unavailable", "Unavailable", refusal.getMessage());
      default:
        throw new IllegalArgumentException("no problem document for " + refusal.kind());
    }
  }
}
