// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

/**
 * DA-DCTCP's controller on a network.
 *
 * @param scope among which queues a budget of thresholds is divided
 * @param periodNanos how often each switch is polled for its queues' lengths, above 0
 * @param averagingWeight of a newer length in the average that thresholds are divided by, (0, 1]; 1
 *     for the length itself
 * @param leastPackets what no queue's threshold is below, above 0
 * @param mostPackets what none is above, at least the least
 */
public record DaDctcpSettings(
    Scope scope,
    long periodNanos,
    double averagingWeight,
    double leastPackets,
    double mostPackets) {

  /**
   * Ports by themselves, every 5 ms, lengths over some 40 ms; from 2 packets, which a sender's
   * least window is, to 100: twice that is the paper's buffer.
   */
  public static final DaDctcpSettings DEFAULTS =
      new DaDctcpSettings(Scope.PORT, 5_000_000L, 1.0 / 8, 2, 100);

  /** What shares a budget. */
  public enum Scope {
    /** The queues of each port. */
    PORT,
    /** All queues of a switch. */
    SWITCH
  }

  /** The same for another scope. */
  public DaDctcpSettings with(Scope other) {
    return new DaDctcpSettings(other, periodNanos, averagingWeight, leastPackets, mostPackets);
  }
}
