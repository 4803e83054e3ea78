// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;

/** Packets that ports reported lost to a node since it was activated, and its answers. */
@AutoValue
public abstract class LossCounts {
  /** Nothing was lost, or nothing of it is shown. */
  public static final LossCounts NONE = of(0, 0, 0, 0);

  /**
   * Counts, at least 0.
   *
   * @param packetOuts of the resends
   */
  public static LossCounts of(long reported, long duplicates, long resends, long packetOuts) {
    return new AutoValue_LossCounts(reported, duplicates, resends, packetOuts);
  }

  /** Lost packets that were reported. */
  public abstract long reported();

  /** How often a source's host was requested to send duplicate acknowledgements. */
  public abstract long duplicates();

  /** How many packets were requested again of port agents, or sent again by packet-out. */
  public abstract long resends();

  /** How many of these were sent by packet-out. */
  public abstract long packetOuts();
}
