// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import org.sluice.api.IpAddress;

/** A TCP flow in the direction in which its data goes. A port of 0 stands for any. */
@AutoValue
public abstract class FlowKey {
  /** Any port. */
  public static final int ANY_PORT = 0;

  private static final int HIGHEST_PORT = 65535;

  /**
   * A flow.
   *
   * @param sourcePort 1 to 65535, or {@link #ANY_PORT}
   * @param destinationPort 1 to 65535, or {@link #ANY_PORT}
   * @throws IllegalArgumentException if a port is out of range, or the addresses are equal or of
   *     two versions of IP
   */
  public static FlowKey of(
      IpAddress source, int sourcePort, IpAddress destination, int destinationPort) {
    flaw(source, sourcePort, destination, destinationPort)
        .ifPresent(
            flaw -> {
              throw new IllegalArgumentException(flaw);
            });
    return new AutoValue_FlowKey(source, sourcePort, destination, destinationPort);
  }

  /** Why there is no such flow; empty if {@link #of} would take it. */
  public static Optional<String> flaw(
      IpAddress source, int sourcePort, IpAddress destination, int destinationPort) {
    if (source.isIpv4() != destination.isIpv4()) {
      return Optional.of(
          "source " + source + " and destination " + destination + " are of two versions of IP");
    }
    if (source.equals(destination)) {
      return Optional.of("source and destination are both " + source);
    }
    return isPort(sourcePort)
        ? flawOfPort("destinationPort", destinationPort)
        : flawOfPort("sourcePort", sourcePort);
  }

  private static boolean isPort(int value) {
    return value >= 0 && value <= HIGHEST_PORT;
  }

  private static Optional<String> flawOfPort(String field, int value) {
    return isPort(value)
        ? Optional.empty()
        : Optional.of(
            field
                + " must lie between 1 and 65535, or be 0 for any, not "
                + Integer.toUnsignedString(value));
  }

  public abstract IpAddress source();

  public abstract int sourcePort();

  public abstract IpAddress destination();

  public abstract int destinationPort();

  /** Whether no port stands for any. */
  public boolean isExact() {
    return sourcePort() != ANY_PORT && destinationPort() != ANY_PORT;
  }

  /** Whether an exact flow is one of those that this stands for. */
  public boolean covers(FlowKey exact) {
    return source().equals(exact.source())
        && destination().equals(exact.destination())
        && covers(sourcePort(), exact.sourcePort())
        && covers(destinationPort(), exact.destinationPort());
  }

  private static boolean covers(int pattern, int port) {
    return pattern == ANY_PORT || pattern == port;
  }

  @Override
  public final String toString() {
    return source()
        + ":"
        + (sourcePort() == ANY_PORT ? "*" : sourcePort())
        + " -> "
        + destination()
        + ":"
        + (destinationPort() == ANY_PORT ? "*" : destinationPort());
  }
}
