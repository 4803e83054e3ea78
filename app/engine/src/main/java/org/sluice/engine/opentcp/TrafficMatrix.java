// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.Arrays;

/**
 * What groups of hosts have sent to each other: of the latest whole period, and what is being
 * collected of the present one. Periods may last several cycles: who sends to whom changes slower
 * than queues do.
 */
public final class TrafficMatrix {
  private final int groups;
  private long[] latest;
  private long[] present;

  public TrafficMatrix(GroupTopology topology) {
    groups = topology.groups().size();
    latest = new long[groups * groups];
    present = new long[groups * groups];
  }

  /**
   * Adds what a host reports.
   *
   * @param bytes since it last reported, at least 0; less is taken for 0
   */
  public void add(int source, int destination, long bytes) {
    int cell = source * groups + destination;
    long sum = present[cell] + Math.max(0, bytes);
    present[cell] = sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** Ends a period. */
  public void roll() {
    long[] before = latest;
    latest = present;
    present = before;
    Arrays.fill(present, 0);
  }

  /** Bytes in the latest whole period. */
  public long bytes(int source, int destination) {
    return latest[source * groups + destination];
  }
}
