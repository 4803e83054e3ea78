// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sluice.api.IpAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.deadline.FlowKey;

/** Flows, sizes and times as operators type them. */
final class FlowSyntax {
  private static final Pattern END =
      Pattern.compile(
          "\\[(?<six>[^]]+)](:(?<sixPort>.*))?|(?<four>[^:]+)(:(?<fourPort>[^:]*))?|.*:.*");
  private static final Pattern QUANTITY = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([A-Za-z]*)");
  private static final Map<String, Long> SIZES =
      Map.of("", 1L, "B", 1L, "kB", 1_000L, "MB", 1_000_000L, "GB", 1_000_000_000L);
  private static final Map<String, Long> TIMES =
      Map.of(
          "us", TimeUnit.MICROSECONDS.toNanos(1),
          "ms", TimeUnit.MILLISECONDS.toNanos(1),
          "s", TimeUnit.SECONDS.toNanos(1),
          "min", TimeUnit.MINUTES.toNanos(1));
  private static final String END_REMEDY =
      "Use an address, or an address and a port, such as 10.0.0.1:5001 or [fd00::1]:5001";

  private FlowSyntax() {}

  /** A flow between two ends; an end without a port stands for any. */
  static FlowKey flow(String source, String destination) throws SluiceException {
    End from = end("source", source);
    End to = end("destination", destination);
    return Arguments.parse(
        "destination",
        destination,
        typed -> FlowKey.of(from.address, from.port, to.address, to.port),
        END_REMEDY);
  }

  /** An end as it is typed, any port as a star. */
  static String end(IpAddress address, int port) {
    String host = address.isIpv4() ? address.toString() : "[" + address + "]";
    return host + ":" + (port == FlowKey.ANY_PORT ? "*" : port);
  }

  /** Bytes: a number, maybe with kB, MB or GB. */
  static long bytes(String typed) throws SluiceException {
    return quantity("size", typed, SIZES, "Use bytes such as 400000, 400kB or 1.5MB");
  }

  /** Nanoseconds from now: a number with us, ms, s or min. */
  static long nanos(String typed) throws SluiceException {
    return quantity("due", typed, TIMES, "Use a time from now such as 300ms, 2.5s or 1min");
  }

  /** Nanoseconds ago, written like those from now. */
  static long nanosAgo(String name, String typed) throws SluiceException {
    return quantity(name, typed, TIMES, "Use how long ago, such as 30s or 10min");
  }

  private static long quantity(String name, String typed, Map<String, Long> units, String remedy)
      throws SluiceException {
    Matcher matcher = QUANTITY.matcher(typed);
    if (!matcher.matches() || !units.containsKey(matcher.group(2))) {
      throw SluiceException.invalid(name, typed, "This is not an amount", remedy);
    }
    BigDecimal unit = BigDecimal.valueOf(units.get(matcher.group(2)));
    try {
      return new BigDecimal(matcher.group(1)).multiply(unit).stripTrailingZeros().longValueExact();
    } catch (ArithmeticException e) {
      throw SluiceException.invalid(name, typed, "This is too much, or too fine", remedy);
    }
  }

  private static End end(String name, String typed) throws SluiceException {
    Matcher matcher = END.matcher(typed);
    boolean isSix = matcher.matches() && matcher.group("six") != null;
    String address = isSix ? matcher.group("six") : matcher.group("four");
    if (address == null) {
      address = typed; // An IPv6 address as it is.
    }
    String port = isSix ? matcher.group("sixPort") : matcher.group("fourPort");
    return new End(
        Arguments.parse(name, address, IpAddress::parse, END_REMEDY),
        port == null || "*".equals(port)
            ? FlowKey.ANY_PORT
            : (int) Arguments.number(name + " port", port, 1, 65535));
  }

  private static final class End {
    final IpAddress address;
    final int port;

    End(IpAddress address, int port) {
      this.address = address;
      this.port = port;
    }
  }
}
