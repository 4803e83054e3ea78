// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.Objects;
import org.sluice.api.EndpointId;

/** One endpoint that sends through a port under control, and what it has there. Immutable. */
public final class PortUser {
  private final EndpointId endpoint;
  private final long partBitsPerSecond;
  private final long takenBitsPerSecond;

  /**
   * One of a port's users.
   *
   * @param partBitsPerSecond what it may send there, beside all others; 0: not decided yet
   * @param takenBitsPerSecond what it got through in the last second
   */
  public PortUser(EndpointId endpoint, long partBitsPerSecond, long takenBitsPerSecond) {
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    this.partBitsPerSecond = partBitsPerSecond;
    this.takenBitsPerSecond = takenBitsPerSecond;
  }

  public EndpointId endpoint() {
    return endpoint;
  }

  /** What it may send there, beside what all others demand, bit/s; 0: not decided yet. */
  public long partBitsPerSecond() {
    return partBitsPerSecond;
  }

  /** What it got through in the last second, bit/s. */
  public long takenBitsPerSecond() {
    return takenBitsPerSecond;
  }
}
