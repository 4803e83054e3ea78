// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.math.BigDecimal;
import javax.ws.rs.core.Response;
import javax.ws.rs.ext.ExceptionMapper;
import javax.ws.rs.ext.Provider;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;

/** Maps the refusals of services to problem documents. */
@Provider
public final class SluiceExceptionMapper implements ExceptionMapper<SluiceException> {
  private static final String INNER_SUFFIX = "BitsPerSecond";
  private static final String OUTER_SUFFIX = "Mbps";

  @Override
  public Response toResponse(SluiceException refusal) {
    return problem(refusal)
        .about(outerField(refusal), outerValue(refusal))
        .remedy(refusal.remedy())
        .response()
        .build();
  }

  private static Problem problem(SluiceException refusal) {
    switch (refusal.kind()) {
      case INVALID:
        return new Problem(400, "invalid", "Invalid request", refusal.getMessage());
      case NOT_FOUND:
        return new Problem(404, "not-found", "Not found", refusal.getMessage());
      case CONFLICT:
        return new Problem(409, "conflict", "Conflict", refusal.getMessage());
      case UNAVAILABLE:
        return new Problem(503, "unavailable", "Unavailable", refusal.getMessage());
      default:
        throw new IllegalArgumentException("no problem document for " + refusal.kind());
    }
  }

  /** Services name rates in bit/s, this interface in Mbit/s. */
  private static String outerField(SluiceException refusal) {
    String field = refusal.field().orElse("");
    return field.endsWith(INNER_SUFFIX)
        ? field.substring(0, field.length() - INNER_SUFFIX.length()) + OUTER_SUFFIX
        : field;
  }

  private static String outerValue(SluiceException refusal) {
    if (refusal.field().orElse("").endsWith(INNER_SUFFIX)) {
      try {
        return MegabitRate.fromBits(new BigDecimal(refusal.value()).longValueExact()).toString();
      } catch (ArithmeticException | NumberFormatException e) {
        // No rate: shown as it is.
      }
    }
    return refusal.value();
  }
}
