// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * DA-DCTCP's formulas (Xu, Pan, Tan, Cheng, Li: "An Adaptive Congestion Control Optimization
 * Strategy in SDN-Based Data Centers", CMC 81(2), 2024, section 3.1). The text that we have lacks
 * its formulas and Algorithm 1: what words do not say is our reconstruction.
 *
 * <pre>
 *   g &lt; 1.386 / sqrt(2 (C RTT + K))          DCTCP's bound
 *   K1 &gt;= C RTT / 7,  K2 = 2 K1 &lt;= buffer     packets
 *   Kslope = (q - q_pre) / (t - t_pre)         packets/s, at dequeue
 *   mark if q &gt;= K2, or q &gt; K1 and avg_Kslope &gt; 0
 *   U = RTT / RTTmax                           RTTmax = RTprop + what full queues add
 *   G = (cur_rtt - pre_rtt) / RTprop
 *   f = 0.5             U &lt; 0.8 and G &lt;= 0
 *       1               one of both
 *       min(2, 1 + G)   U &gt;= 0.8 and G &gt; 0
 *   cwnd = cwnd (1 - f alpha / 2)              once per window with marks
 * </pre>
 *
 * <p>Queues are counted in packets.
 */
public final class DaDctcpLaw {
  /** "This threshold is set to 0.8": the U from which a path counts as full. */
  public static final double FULL_UTILISATION = 0.8;

  /** Below it G counts as 0: one packet's serialisation is no trend. A fit. */
  public static final double GRADIENT_DEAD_ZONE = 0.01;

  /** Of the newest value in the averages of Kslope and G: RFC 6298's, the paper has none. */
  public static final double AVERAGING_WEIGHT = 1.0 / 8;

  /** f where nothing says congestion but a mark, where one more thing does, and at the most. */
  public static final double LEAST_FACTOR = 0.5;

  public static final double DCTCP_FACTOR = 1;
  public static final double GREATEST_FACTOR = 2;

  /** Alizadeh et al., SIGCOMM 2010, equation 15: the gain averages over a whole sawtooth. */
  private static final double GAIN_BOUND = 1.386;

  /** The same, equation 13: the queue of flows in step does not run empty. */
  private static final double THRESHOLD_DIVISOR = 7;

  private static final double BITS_PER_BYTE = 8;
  private static final double NANOS_PER_SECOND = 1e9;

  private DaDctcpLaw() {}

  /**
   * What g must be below.
   *
   * @param bandwidthBitsPerSecond C, above 0
   * @param roundTripNanos RTT without queues, above 0
   * @param thresholdPackets K, at least 0
   * @param packetBytes above 0
   */
  public static double gainBound(
      long bandwidthBitsPerSecond, long roundTripNanos, double thresholdPackets, int packetBytes) {
    double inFlight = inFlightPackets(bandwidthBitsPerSecond, roundTripNanos, packetBytes);
    return GAIN_BOUND / Math.sqrt(2 * (inFlight + thresholdPackets));
  }

  /** The least K1 at which flows in step keep the link busy, packets; as for {@link #gainBound}. */
  public static double leastThresholdPackets(
      long bandwidthBitsPerSecond, long roundTripNanos, int packetBytes) {
    return inFlightPackets(bandwidthBitsPerSecond, roundTripNanos, packetBytes) / THRESHOLD_DIVISOR;
  }

  private static double inFlightPackets(
      long bandwidthBitsPerSecond, long roundTripNanos, int packetBytes) {
    return bandwidthBitsPerSecond
        * (roundTripNanos / NANOS_PER_SECOND)
        / (packetBytes * BITS_PER_BYTE);
  }

  /**
   * K2, packets.
   *
   * @param lowerPackets K1, at least 0
   * @param bufferPackets what there is space for, at least 1
   */
  public static double upperThresholdPackets(double lowerPackets, int bufferPackets) {
    return Math.min(2 * lowerPackets, bufferPackets);
  }

  /**
   * Kslope, packets/s.
   *
   * @param packets q, what waits now
   * @param packetsBefore q_pre, what waited at the last departure
   * @param elapsedNanos since then, above 0
   */
  public static double slope(int packets, int packetsBefore, long elapsedNanos) {
    return (packets - packetsBefore) * NANOS_PER_SECOND / elapsedNanos;
  }

  /** An exponentially weighted average with one value more. */
  public static double average(double average, double value, double weight) {
    return average + weight * (value - average);
  }

  /**
   * Whether a packet that leaves is marked.
   *
   * @param packets q, with the packet itself
   * @param lowerPackets K1
   * @param upperPackets K2, at least K1
   * @param averageSlope avg_Kslope
   */
  public static boolean marks(
      int packets, double lowerPackets, double upperPackets, double averageSlope) {
    return packets >= upperPackets || packets > lowerPackets && averageSlope > 0;
  }

  /**
   * G before it is averaged.
   *
   * @param roundTripNanos cur_rtt
   * @param roundTripBeforeNanos pre_rtt
   * @param leastRoundTripNanos RTprop, above 0
   */
  public static double gradient(
      long roundTripNanos, long roundTripBeforeNanos, long leastRoundTripNanos) {
    return (double) (roundTripNanos - roundTripBeforeNanos) / leastRoundTripNanos;
  }

  /**
   * U: how much of the longest round trip the present one is.
   *
   * @param roundTripNanos above 0
   * @param leastRoundTripNanos RTprop, above 0
   * @param queueBoundNanos what full queues add to it, at least 0
   */
  public static double utilisation(
      long roundTripNanos, long leastRoundTripNanos, long queueBoundNanos) {
    return (double) roundTripNanos / (leastRoundTripNanos + queueBoundNanos);
  }

  /**
   * f: how hard marks count.
   *
   * @param utilisation U
   * @param gradient G, averaged
   * @return 0.5 to 2
   */
  public static double factor(double utilisation, double gradient) {
    boolean isFull = utilisation >= FULL_UTILISATION;
    boolean isRising = gradient > GRADIENT_DEAD_ZONE;
    if (isFull && isRising) {
      return Math.min(GREATEST_FACTOR, 1 + gradient);
    }
    return isFull || isRising ? DCTCP_FACTOR : LEAST_FACTOR;
  }
}
