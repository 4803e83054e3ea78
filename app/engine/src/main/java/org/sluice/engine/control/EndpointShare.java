// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Objects;
import java.util.Optional;
import org.sluice.api.PortId;

/**
 * What one endpoint is due, and what it sends: the least share that ports under control come to for
 * it if all others demand theirs, and what its host is to let out whatever is congested. Immutable.
 */
public final class EndpointShare {
  /** Nothing bounds it. */
  public static final long UNBOUNDED = Long.MAX_VALUE;

  /** Who gets so much of a limit through is held back by it; TCP takes some percent less. */
  public static final double USED_UP = 0.85;

  private final long heldBitsPerSecond;
  private final Optional<PortId> port;
  private final long shareBitsPerSecond;
  private final long takenBitsPerSecond;

  /**
   * What holds for an endpoint.
   *
   * @param port the one under control where it is due least; empty: none does
   */
  public EndpointShare(
      long heldBitsPerSecond,
      Optional<PortId> port,
      long shareBitsPerSecond,
      long takenBitsPerSecond) {
    this.heldBitsPerSecond = heldBitsPerSecond;
    this.port = Objects.requireNonNull(port, "port");
    this.shareBitsPerSecond = shareBitsPerSecond;
    this.takenBitsPerSecond = takenBitsPerSecond;
  }

  /** The same without the port. */
  public EndpointShare unbounded() {
    return new EndpointShare(heldBitsPerSecond, Optional.empty(), UNBOUNDED, takenBitsPerSecond);
  }

  /**
   * The lowest of its ceiling, its part of its tenant's, and its host's NIC, bit/s; {@link
   * #UNBOUNDED} without all of them.
   */
  public long heldBitsPerSecond() {
    return heldBitsPerSecond;
  }

  /** The port under control where it is due least of those through which it sends now. */
  public Optional<PortId> port() {
    return port;
  }

  /** What it is due at that port, bit/s; {@link #UNBOUNDED} without one. */
  public long shareBitsPerSecond() {
    return shareBitsPerSecond;
  }

  /** What it gets through that port, or without one through all, bit/s. */
  public long takenBitsPerSecond() {
    return takenBitsPerSecond;
  }

  @Override
  public String toString() {
    return String.format(
        "%d of %d bit/s at %s, at most %d",
        takenBitsPerSecond,
        shareBitsPerSecond,
        port.map(PortId::toString).orElse("no port"),
        heldBitsPerSecond);
  }
}
