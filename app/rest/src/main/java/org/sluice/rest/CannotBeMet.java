// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.util.OptionalLong;
import org.sluice.api.MilliTime;
import org.sluice.api.deadline.Admission;

/** The problem that a deadline cannot be met, with the earliest that could be. */
@JsonPropertyOrder({
  "type", "title", "status", "detail",
  "field", "value", "earliestMillis", "remedy"
})
final class CannotBeMet extends Problem {
  /** Null: there is none. */
  @JsonProperty
  @JsonInclude(JsonInclude.Include.ALWAYS)
  private final BigDecimal earliestMillis;

  /**
   * A refusal.
   *
   * @param dueInNanos the time that was requested; 0 if none was
   */
  CannotBeMet(Admission admission, long dueInNanos) {
    super(409, "cannot-be-met", "The deadline cannot be met", detail(admission.earliestNanos()));
    OptionalLong earliest = admission.earliestNanos();
    earliestMillis = earliest.isPresent() ? MilliTime.fromNanos(earliest.getAsLong()) : null;
    about("dueInMillis", dueInNanos > 0 ? millisText(dueInNanos) : "");
    remedy("Request earliestMillis or later, or set force to register it behind what is promised");
  }

  private static String detail(OptionalLong earliest) {
    return earliest.isPresent()
        ? "Beside earlier promises the flow completes no sooner than in "
            + MilliTime.text(earliest.getAsLong())
        : "At a port on its path no capacity is left to promise";
  }

  private static String millisText(long nanos) {
    return MilliTime.fromNanos(nanos).toPlainString();
  }
}
