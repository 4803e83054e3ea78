// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest.json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.api.IpAddress;
import org.sluice.api.MilliTime;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowStatus;

/** Flows with deadlines as JSON. */
public final class FlowJson {
  private static final List<String> CHANGE_FIELDS =
      List.of("sizeBytes", "dueInMillis", "deadline", "force");
  private static final List<String> FIELDS =
      List.of(
          "source",
          "sourcePort",
          "destination",
          "destinationPort",
          "sizeBytes",
          "dueInMillis",
          "deadline",
          "force");
  private static final int NANO_DECIMALS = 6;

  private FlowJson() {}

  /** What is to change of a registration. */
  public static final class Change {
    public final OptionalLong sizeBytes;
    public final OptionalLong dueInNanos;
    public final boolean force;

    private Change(OptionalLong sizeBytes, OptionalLong dueInNanos, boolean force) {
      this.sizeBytes = sizeBytes;
      this.dueInNanos = dueInNanos;
      this.force = force;
    }
  }

  /** A registration with all of its fields, in an order that never changes. */
  public static ObjectNode write(FlowStatus flow) {
    return Json.object()
        .put("id", flow.id())
        .put("source", flow.flow().source().toString())
        .put("sourcePort", flow.flow().sourcePort())
        .put("destination", flow.flow().destination().toString())
        .put("destinationPort", flow.flow().destinationPort())
        .put("tenant", flow.tenant().name())
        .put("sizeBytes", flow.sizeBytes())
        .put("remainingBytes", flow.remainingBytes())
        .put("deadline", flow.deadline().toString())
        .put("dueInMillis", MilliTime.fromNanos(flow.dueInNanos()))
        .put("promised", flow.promised())
        .put("promiseLost", flow.promiseLost())
        .put("state", flow.state().text());
  }

  /**
   * Reads what somebody wants to register.
   *
   * @param now the time of day, for a deadline that is given as one
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static DeadlineRequest read(ObjectNode json, Instant now) throws SluiceException {
    Fields fields = Fields.of(json, "", FIELDS);
    IpAddress source = address(fields, "source");
    IpAddress destination = address(fields, "destination");
    int sourcePort = port(fields, "sourcePort");
    int destinationPort = port(fields, "destinationPort");
    Optional<String> flaw = FlowKey.flaw(source, sourcePort, destination, destinationPort);
    if (flaw.isPresent()) {
      throw SluiceException.invalid(
          "destination", destination, flaw.get(), "Name another endpoint, of the same kind");
    }
    OptionalLong size = whole(fields, "sizeBytes", Long.MAX_VALUE);
    if (size.isEmpty()) {
      throw missing("sizeBytes", "A flow needs a size", "Give its payload in bytes");
    }
    OptionalLong due = due(fields, now);
    if (due.isEmpty()) {
      throw missing("dueInMillis", "A flow needs a deadline", "Give dueInMillis, or deadline");
    }
    return DeadlineRequest.of(
        FlowKey.of(source, sourcePort, destination, destinationPort),
        size.getAsLong(),
        due.getAsLong(),
        fields.truth("force").orElse(false));
  }

  /**
   * Reads what is to change of a registration.
   *
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static Change readChange(ObjectNode json, Instant now) throws SluiceException {
    Fields fields = Fields.of(json, "", CHANGE_FIELDS);
    OptionalLong size = whole(fields, "sizeBytes", Long.MAX_VALUE);
    OptionalLong due = due(fields, now);
    if (size.isEmpty() && due.isEmpty()) {
      throw missing("sizeBytes", "Nothing is to change", "Give sizeBytes, a deadline, or both");
    }
    return new Change(size, due, fields.truth("force").orElse(false));
  }

  private static SluiceException missing(String field, String message, String remedy) {
    return SluiceException.invalid(field, "", message, remedy);
  }

  private static IpAddress address(Fields fields, String name) throws SluiceException {
    String remedy = "Use an address such as 10.0.0.1";
    return fields
        .parsed(name, remedy, IpAddress::parse)
        .orElseThrow(() -> missing(name, "A flow has a source and a destination", remedy));
  }

  private static int port(Fields fields, String name) throws SluiceException {
    return (int) whole(fields, name, 65_535).orElse(FlowKey.ANY_PORT);
  }

  private static OptionalLong whole(Fields fields, String name, long most) throws SluiceException {
    Optional<BigDecimal> number = fields.number(name);
    if (number.isEmpty()) {
      return OptionalLong.empty();
    }
    BigDecimal value = number.get();
    boolean fits = value.signum() >= 0 && value.compareTo(BigDecimal.valueOf(most)) <= 0;
    if (!fits || value.setScale(0, RoundingMode.FLOOR).compareTo(value) != 0) {
      throw SluiceException.invalid(
          name, value, "This is out of range", "Use a whole number from 0 to " + most);
    }
    return OptionalLong.of(value.longValue());
  }

  private static OptionalLong due(Fields fields, Instant now) throws SluiceException {
    Optional<BigDecimal> millis = fields.number("dueInMillis");
    Optional<Instant> deadline =
        fields.parsed("deadline", "Use a time such as 2026-01-01T00:00:00.300Z", FlowJson::instant);
    if (millis.isPresent() && deadline.isPresent()) {
      throw SluiceException.invalid(
          "deadline",
          deadline.get(),
          "The deadline is given twice",
          "Give dueInMillis or deadline, not both");
    }
    if (deadline.isPresent()) {
      return OptionalLong.of(nanosUntil(deadline.get(), now));
    }
    return millis.isPresent() ? OptionalLong.of(nanos(millis.get())) : OptionalLong.empty();
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("This is no time of day", e);
    }
  }

  private static long nanosUntil(Instant deadline, Instant now) {
    try {
      return Duration.between(now, deadline).toNanos();
    } catch (ArithmeticException e) {
      return deadline.isBefore(now) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private static long nanos(BigDecimal millis) throws SluiceException {
    BigDecimal most = BigDecimal.valueOf(Long.MAX_VALUE, NANO_DECIMALS);
    if (millis.signum() < 0 || millis.compareTo(most) > 0) {
      throw SluiceException.invalid(
          "dueInMillis", millis, "This is out of range", "Use a number of milliseconds above 0");
    }
    return millis.setScale(NANO_DECIMALS, RoundingMode.CEILING).unscaledValue().longValue();
  }
}
