// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;

/** What an endpoint sends, two seconds old at most. */
@AutoValue
public abstract class EndpointTraffic {
  /** Nothing. */
  public static final EndpointTraffic NONE = of(0, 0, 0, false);

  /** Its host's agent does not report: all are 0, and say nothing. */
  public static final EndpointTraffic UNKNOWN =
      new AutoValue_EndpointTraffic(false, 0, 0, 0, false);

  public static EndpointTraffic of(
      long deliveredBitsPerSecond, long backlogBytes, long droppedPackets, boolean heldBack) {
    return new AutoValue_EndpointTraffic(
        true, deliveredBitsPerSecond, backlogBytes, droppedPackets, heldBack);
  }

  /** Whether its host's agent reports. */
  public abstract boolean known();

  /**
   * What of it gets through, bit/s of whole frames, the mean of a second: as receivers' hosts
   * report it, else its own.
   */
  public abstract long deliveredBitsPerSecond();

  /** What waits at its host for its limits, bytes. */
  public abstract long backlogBytes();

  /** What its host has dropped of it since the session began: above limits, or not its to send. */
  public abstract long droppedPackets();

  /** Whether it uses up some limit, or did a second before: it would probably send more without. */
  public abstract boolean heldBack();
}
