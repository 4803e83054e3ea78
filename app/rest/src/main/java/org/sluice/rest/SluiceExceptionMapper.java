// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import java.math.BigDecimal;
import javax.ws.rs.core.Response;
import javax.ws.rs.ext.ExceptionMapper;
import javax.ws.rs.ext.Provider;
import org.sluice.api.MegabitRate;
import org.sluice.api.SluiceException;

/** Says in a problem document why a service refused. */
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
        return new Problem(400, "invalid", "The request is invalid", refusal.getMessage());
      case NOT_FOUND:
        return new Problem(404, "not-found", "There is no such thing", refusal.getMessage());
      case CONFLICT:
        return new Problem(
            409, "conflict", "The request contradicts what is", refusal.getMessage());
      case UNAVAILABLE:
        return new Problem(503, "unavailable", "Not possible at present", refusal.getMessage());
      default:
        throw new IllegalArgumentException("no problem document for " + refusal.kind());
    }
  }

  /** Services speak of bit/s, this interface of Mbit/s. */
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
        // Then it is no rate, and is shown as it is.
      }
    }
    return refusal.value();
  }
}
