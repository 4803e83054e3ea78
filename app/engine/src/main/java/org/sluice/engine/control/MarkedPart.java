// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.engine.state.PortTable;

/**
 * The part of its packets that a port marks, on average: as its agent or meters report, else as
 * receivers report of packets that no other port under control can have marked.
 */
final class MarkedPart {
  /** It is the mean of about so long, ns: several swings of the host loop. */
  private static final double WINDOW_NANOS = 100e6;

  /** Fewer packets show nothing. */
  private static final double LEAST_PACKETS = 20;

  private double packets;
  private double marks;
  private double exact;
  private boolean isExact;
  private long lookedAt = Long.MIN_VALUE;

  /**
   * Takes what was reported since the last look.
   *
   * @param reported the marked part by the port's own agent or by meters; below 0: none report
   */
  void look(PortTable ports, int port, double reported, long now) {
    double keep = lookedAt == Long.MIN_VALUE ? 0 : Math.exp((lookedAt - now) / WINDOW_NANOS);
    lookedAt = now;
    packets = packets * keep + ports.solePackets[port];
    marks = marks * keep + ports.soleMarks[port];
    ports.solePackets[port] = 0;
    ports.soleMarks[port] = 0;
    if (reported >= 0) {
      exact = isExact ? reported + (exact - reported) * keep : reported;
    }
    isExact = reported >= 0;
  }

  /** [0, 1]; 0 where it is not known. */
  double part() {
    if (isExact) {
      return exact;
    }
    return packets >= LEAST_PACKETS ? Math.min(1, marks / packets) : 0;
  }
}
