// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;

/** Reads requests about flows with deadlines. */
public final class FlowJson {
  private static final int GREATEST_PORT = 65_535;
  private static final int NANO_DECIMALS = 6;
  private static final BigDecimal NANOSECOND = BigDecimal.ONE.movePointLeft(NANO_DECIMALS);
  private static final BigDecimal MAX_MILLIS = BigDecimal.valueOf(Long.MAX_VALUE, NANO_DECIMALS);

  private FlowJson() {}

  /** What is to change of a registration. */
  public static final class Change {
    public final OptionalLong sizeBytes;
    public final OptionalLong dueInNanos;
    public final boolean force;

    private Change(FlowChangeDto dto, Instant now) throws SluiceException {
      sizeBytes = whole("sizeBytes", dto.sizeBytes, Long.MAX_VALUE);
      dueInNanos = due(dto, now);
      force = Boolean.TRUE.equals(dto.force);
    }
  }

  /**
   * Reads a request to register a flow.
   *
   * @param now the time of day, for a deadline that is given as one
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static DeadlineRequest read(ObjectNode json, Instant now) throws SluiceException {
    DeadlineRequestDto dto = Json.bind(json, new DeadlineRequestDto(), "");
    FlowKey flow = flow(dto);
    Change terms = new Change(dto, now);
    if (terms.sizeBytes.isEmpty()) {
      throw missing("sizeBytes", "A flow needs a size", "Give its payload in bytes");
    }
    if (terms.dueInNanos.isEmpty()) {
      throw missing("dueInMillis", "A flow needs a deadline", "Give dueInMillis, or deadline");
    }
    BigDecimal begins = dto.beginsInMillis;
    return DeadlineRequest.of(
            flow, terms.sizeBytes.getAsLong(), terms.dueInNanos.getAsLong(), terms.force)
        .beginningIn(begins == null ? 0 : nanos("beginsInMillis", begins));
  }

  /**
   * Reads what is to change of a registration.
   *
   * @throws SluiceException of kind INVALID naming field, value and remedy
   */
  public static Change readChange(ObjectNode json, Instant now) throws SluiceException {
    Change change = new Change(Json.bind(json, new FlowChangeDto(), ""), now);
    if (change.sizeBytes.isEmpty() && change.dueInNanos.isEmpty()) {
      throw missing("sizeBytes", "Nothing is to change", "Give sizeBytes, a deadline, or both");
    }
    return change;
  }

  private static FlowKey flow(DeadlineRequestDto dto) throws SluiceException {
    IpAddress source = required("source", dto.source);
    IpAddress destination = required("destination", dto.destination);
    int sourcePort = port("sourcePort", dto.sourcePort);
    int destinationPort = port("destinationPort", dto.destinationPort);
    Optional<String> flaw = FlowKey.flaw(source, sourcePort, destination, destinationPort);
    if (flaw.isPresent()) {
      throw SluiceException.invalid(
          "destination", destination, flaw.get(), "Name another endpoint, of the same kind");
    }
    return FlowKey.of(source, sourcePort, destination, destinationPort);
  }

  private static SluiceException missing(String field, String message, String remedy) {
    return SluiceException.invalid(field, "", message, remedy);
  }

  private static IpAddress required(String field, IpAddress address) throws SluiceException {
    if (address == null) {
      throw missing(
          field, "A flow has a source and a destination", "Use an address such as 10.0.0.1");
    }
    return address;
  }

  private static int port(String field, BigDecimal number) throws SluiceException {
    return (int) whole(field, number, GREATEST_PORT).orElse(FlowKey.ANY_PORT);
  }

  private static OptionalLong whole(String field, BigDecimal number, long most)
      throws SluiceException {
    if (number == null) {
      return OptionalLong.empty();
    }
    boolean fits = number.signum() >= 0 && number.compareTo(BigDecimal.valueOf(most)) <= 0;
    // Evaluated before any arithmetic: 1e-999999999 would cost minutes.
    BigDecimal stripped = number.stripTrailingZeros();
    if (!fits || stripped.scale() > 0) {
      throw SluiceException.invalid(
          field, number, "This is out of range", "Use a whole number from 0 to " + most);
    }
    return OptionalLong.of(stripped.longValueExact());
  }

  private static OptionalLong due(FlowChangeDto dto, Instant now) throws SluiceException {
    if (dto.dueInMillis != null && dto.deadline != null) {
      throw SluiceException.invalid(
          "deadline",
          dto.deadline,
          "The deadline is given twice",
          "Give dueInMillis or deadline, not both");
    }
    if (dto.deadline != null) {
      return OptionalLong.of(nanosUntil(dto.deadline, now));
    }
    return dto.dueInMillis == null
        ? OptionalLong.empty()
        : OptionalLong.of(nanos("dueInMillis", dto.dueInMillis));
  }

  private static long nanosUntil(Instant deadline, Instant now) {
    try {
      return Duration.between(now, deadline).toNanos();
    } catch (ArithmeticException e) {
      return deadline.isBefore(now) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private static long nanos(String field, BigDecimal millis) throws SluiceException {
    if (millis.signum() < 0 || millis.compareTo(MAX_MILLIS) > 0) {
      throw SluiceException.invalid(
          field, millis, "This is out of range", "Use a number of milliseconds from 0 on");
    }
    if (millis.compareTo(NANOSECOND) < 0) {
      // Rounded up without arithmetic: 1e-999999999 would cost minutes.
      return millis.signum();
    }
    return millis.setScale(NANO_DECIMALS, RoundingMode.CEILING).unscaledValue().longValueExact();
  }
}
