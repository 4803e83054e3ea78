// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * DA-DCTCP's thresholds (section 3.2 and Algorithm 2, whose formulas our text lacks): a budget of
 * marking thresholds is divided among the queues of a port, or of a switch, so that the rate of
 * what is idle below them is greatest:
 *
 * <pre>
 *   maximise sum (1 - Q_i / K_i),  sum K_i = K_port    =&gt;   K_i = K_port sqrt(Q_i) / sum sqrt(Q_j)
 *   K_i &gt;= least,  and K_i &gt;= Q_i where none of the waiting packets is marked
 *   K_i &lt;= most
 * </pre>
 *
 * <p>What bounds add is taken from the queue with the largest slack, then from the next; what the
 * upper bound leaves over goes to the queue with the lowest threshold, then to the next. Not for
 * several threads.
 */
public final class ThresholdDivision {
  private final double leastPackets;
  private final double mostPackets;
  private double[] floors = new double[0];

  /**
   * @param leastPackets above 0: a queue that is idle now may be busy before the next division
   * @param mostPackets at least the least
   */
  public ThresholdDivision(double leastPackets, double mostPackets) {
    if (!(leastPackets > 0)) {
      throw new IllegalArgumentException("leastPackets must be above 0, not " + leastPackets);
    }
    if (!(mostPackets >= leastPackets)) {
      throw new IllegalArgumentException(
          "mostPackets must be at least " + leastPackets + ", not " + mostPackets);
    }
    this.leastPackets = leastPackets;
    this.mostPackets = mostPackets;
  }

  /**
   * Divides a budget anew.
   *
   * @param waiting packets that wait now, at least 0 each
   * @param lengths Q_i: the same, or what it was over a while, packets, at least 0 each
   * @param thresholds K_i: as they are, and then as they are to be, packets; as many as queues
   * @param budgetPackets K_port, above 0
   */
  public void divide(int[] waiting, double[] lengths, double[] thresholds, double budgetPackets) {
    if (waiting.length != thresholds.length || lengths.length != thresholds.length) {
      throw new IllegalArgumentException(
          "there are "
              + waiting.length
              + " queues, "
              + lengths.length
              + " lengths and "
              + thresholds.length
              + " thresholds");
    }
    double roots = 0;
    for (double length : lengths) {
      roots += Math.sqrt(length);
    }
    setFloors(waiting, thresholds);
    double sum = 0;
    for (int i = 0; i < lengths.length; i++) {
      double share = roots > 0 ? Math.sqrt(lengths[i]) / roots : 1.0 / lengths.length;
      thresholds[i] = Math.max(floors[i], Math.min(mostPackets, budgetPackets * share));
      sum += thresholds[i];
    }
    if (sum > budgetPackets) {
      take(thresholds, sum - budgetPackets);
    } else {
      give(thresholds, budgetPackets - sum);
    }
  }

  /** Restriction (b): what waits unmarked is not marked because a threshold falls. */
  private void setFloors(int[] waiting, double[] thresholds) {
    if (floors.length < waiting.length) {
      floors = new double[waiting.length];
    }
    for (int i = 0; i < waiting.length; i++) {
      boolean isUnmarked = waiting[i] < thresholds[i];
      double least = isUnmarked ? Math.max(leastPackets, waiting[i]) : leastPackets;
      floors[i] = Math.min(mostPackets, least);
    }
  }

  private void take(double[] thresholds, double packets) {
    double excess = packets;
    for (int round = 0; round < thresholds.length && excess > 0; round++) {
      int from = 0;
      for (int i = 1; i < thresholds.length; i++) {
        from = thresholds[i] - floors[i] > thresholds[from] - floors[from] ? i : from;
      }
      double taken = Math.min(excess, thresholds[from] - floors[from]);
      thresholds[from] -= taken;
      excess -= taken;
    }
  }

  private void give(double[] thresholds, double packets) {
    double left = packets;
    for (int round = 0; round < thresholds.length && left > 0; round++) {
      int to = 0;
      for (int i = 1; i < thresholds.length; i++) {
        to = thresholds[i] < thresholds[to] ? i : to;
      }
      double given = Math.min(left, mostPackets - thresholds[to]);
      thresholds[to] += given;
      left -= given;
    }
  }
}
