// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * Micro-flow, Algorithm 1 (Zaher and Molnar, "Enhancing of Micro Flow Transfer in SDN-based Data
 * Center Networks", section III). Short flows wait in a queue of their own at each egress port;
 * when that of a port s_j-eth_n is long, the upstream ports s_i-eth_x are to send it less of the
 * background flows' traffic for a while:
 *
 * <pre>
 *   TH = qc - (p - 1) pkt                             packets, line 3
 *   interval = TH / ql RTT                            ns, line 7
 *   alpha = (ql - TH) / (qc - TH)                     line 18
 *   beta = (qc - ql) / qc,  of the upstream queue     line 20
 *   TR = BW (1 - alpha beta / 2)                      bit/s, line 23
 * </pre>
 *
 * <p>TR is changed only where ql &gt;= TH at the downstream port (line 4) and ql &lt; TH in the
 * background queue at the upstream port (line 19), and for a timeout (line 24). BW is the
 * downstream port's. It lies between BW/2 and BW: each upstream port by itself may always send half
 * of what the downstream port carries.
 *
 * <p>Queues are counted in packets. The print leaves ql = 0 in line 7 and qc above the buffer open;
 * intervals are bounded here, and qc by the buffer ({@link #capacityPackets}).
 */
public final class MicroFlowLaw {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS_PER_BYTE = 8;

  private MicroFlowLaw() {}

  /**
   * qc of a queue, packets: as printed, "qc = BDP", bandwidth times round trip; at most the buffer.
   *
   * @param bandwidthBitsPerSecond of its port, above 0
   * @param roundTripNanos without queues, above 0
   * @param packetBytes above 0
   * @param bufferPackets what the queue has space for, at least 1
   * @return from 1 to the buffer
   */
  public static int capacityPackets(
      long bandwidthBitsPerSecond, long roundTripNanos, int packetBytes, int bufferPackets) {
    double bits = bandwidthBitsPerSecond * (roundTripNanos / NANOS_PER_SECOND);
    double packets = Math.floor(bits / (packetBytes * BITS_PER_BYTE));
    return (int) Math.max(1, Math.min(bufferPackets, packets));
  }

  /**
   * TH, packets (line 3): a packet may come from each of the switch's other ports at once and still
   * find space.
   *
   * @param capacityPackets qc, at least 1
   * @param ports p of the switch, at least 1
   * @return at least 1, where print would have 0 or less
   */
  public static int thresholdPackets(int capacityPackets, int ports) {
    return Math.max(1, capacityPackets - (ports - 1));
  }

  /**
   * When a queue is to be evaluated again (line 7), ns: the sooner the longer it is.
   *
   * @param queuePackets ql, at least 0; an empty queue has the longest interval
   * @param shortestNanos above 0
   * @param longestNanos at least the shortest
   * @return within both bounds
   */
  public static long intervalNanos(
      int queuePackets,
      int thresholdPackets,
      long roundTripNanos,
      long shortestNanos,
      long longestNanos) {
    if (queuePackets <= 0) {
      return longestNanos;
    }
    double interval = (double) thresholdPackets / queuePackets * roundTripNanos;
    return (long) Math.max(shortestNanos, Math.min(longestNanos, interval));
  }

  /** Whether a micro queue counts as congested (line 4). */
  public static boolean isCongested(int queuePackets, int thresholdPackets) {
    return queuePackets >= thresholdPackets;
  }

  /** Whether an upstream port's background queue is short enough to be capped (line 19). */
  public static boolean mayCap(int backgroundPackets, int thresholdPackets) {
    return backgroundPackets < thresholdPackets;
  }

  /**
   * Alpha (line 18): how far the downstream micro queue has grown from TH to qc.
   *
   * @return 0 to 1; 1 where qc is no more than TH
   */
  public static double alpha(int queuePackets, int thresholdPackets, int capacityPackets) {
    int room = capacityPackets - thresholdPackets;
    if (room <= 0) {
      return 1;
    }
    return Math.max(0, Math.min(1, (double) (queuePackets - thresholdPackets) / room));
  }

  /**
   * Beta (line 20): what is free of the upstream background queue.
   *
   * @param capacityPackets qc of the upstream queue, at least 1
   * @return 0 to 1
   */
  public static double beta(int backgroundPackets, int capacityPackets) {
    return Math.max(0, Math.min(1, 1 - (double) backgroundPackets / capacityPackets));
  }

  /**
   * TR (line 23), bit/s.
   *
   * @param bandwidthBitsPerSecond BW of the downstream port, above 0
   * @param alpha 0 to 1
   * @param beta 0 to 1
   * @return from {@link #floorBitsPerSecond} to BW
   */
  public static long capBitsPerSecond(long bandwidthBitsPerSecond, double alpha, double beta) {
    double cap = bandwidthBitsPerSecond * (1 - alpha * beta / 2);
    return Math.max(floorBitsPerSecond(bandwidthBitsPerSecond), (long) cap);
  }

  /** What TR is never below, BW/2 rounded up, bit/s (section III.D: "up to 50 %"). */
  public static long floorBitsPerSecond(long bandwidthBitsPerSecond) {
    return bandwidthBitsPerSecond - bandwidthBitsPerSecond / 2;
  }
}
