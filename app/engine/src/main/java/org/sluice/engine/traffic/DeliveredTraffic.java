// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

/** What got through, of whole frames. Immutable. */
public final class DeliveredTraffic {
  /** Nothing at all. */
  public static final DeliveredTraffic NONE = new DeliveredTraffic(0, 0);

  /** Since the start. */
  public final long bytes;

  /** In the last second that was measured. */
  public final long bitsPerSecond;

  public DeliveredTraffic(long bytes, long bitsPerSecond) {
    this.bytes = bytes;
    this.bitsPerSecond = bitsPerSecond;
  }
}
