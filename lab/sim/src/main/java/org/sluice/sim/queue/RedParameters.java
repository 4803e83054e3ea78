// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

/**
 * The parameters of a {@link RedQueue}.
 *
 * @param limitPackets space, at least 1
 * @param minThresholdPackets below it nothing is marked
 * @param maxThresholdPackets from it on everything is marked; equal to the minimum for a step
 * @param maxProbability of marking, just below the upper threshold; (0, 1]
 * @param averagingWeight of the newest reading in the average, (0, 1]; 1 for the instantaneous
 *     queue
 * @param ecn whether ECT packets are marked; otherwise they are dropped like all others
 * @param nonEct what happens to packets that cannot be marked
 */
public record RedParameters(
    int limitPackets,
    double minThresholdPackets,
    double maxThresholdPackets,
    double maxProbability,
    double averagingWeight,
    boolean ecn,
    NonEct nonEct) {

  /** What happens to packets that cannot be marked when they should be. */
  public enum NonEct {
    /** Dropped, as RED does. */
    DROP,
    /** Left alone until the queue is full, as switches with a marking threshold alone do. */
    PASS
  }

  public RedParameters {
    require(limitPackets >= 1, "limitPackets must be at least 1, not " + limitPackets);
    require(
        minThresholdPackets >= 0,
        "minThresholdPackets must not be negative: " + minThresholdPackets);
    require(
        maxThresholdPackets >= minThresholdPackets,
        "maxThresholdPackets ("
            + maxThresholdPackets
            + ") must not be below minThresholdPackets ("
            + minThresholdPackets
            + ")");
    require(
        maxProbability > 0 && maxProbability <= 1,
        "maxProbability must lie in (0, 1], not be " + maxProbability);
    require(
        averagingWeight > 0 && averagingWeight <= 1,
        "averagingWeight must lie in (0, 1], not be " + averagingWeight);
  }

  /**
   * A step: every ECT packet that finds so many packets waiting is marked, as data-center switches
   * are set up (RFC 8257, section 4.1).
   *
   * @param thresholdPackets K
   */
  public static RedParameters step(int limitPackets, int thresholdPackets, NonEct nonEct) {
    return new RedParameters(limitPackets, thresholdPackets, thresholdPackets, 1, 1, true, nonEct);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
