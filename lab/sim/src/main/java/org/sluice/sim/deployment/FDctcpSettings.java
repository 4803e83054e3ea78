// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

/**
 * F-DCTCP's controller on a network.
 *
 * @param periodNanos how often each switch is polled for its queues, above 0
 * @param watchPackets from how many waiting packets on congestion is on its way, at least 1
 */
public record FDctcpSettings(long periodNanos, int watchPackets) {
  /** Every 5 ms; 10 packets, half of the paper's K: before anything is marked. */
  public static final FDctcpSettings DEFAULTS = new FDctcpSettings(5_000_000L, 10);
}
