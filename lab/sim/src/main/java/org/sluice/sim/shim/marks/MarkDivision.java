// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

import org.sluice.sim.shim.law.Interval;
import org.sluice.sim.shim.law.Numbers;

/**
 * Divides the marks of packets that crossed several congested ports: one port's part of them, in
 * one interval.
 */
public final class MarkDivision {
  /** Smooths the marks of equal ports: a root of what a few packets show is too high on average. */
  private static final double STEPS = 4;

  /** How many marks may be carried over to later intervals, either way. */
  private static final double MAX_OWED = 16;

  private long packets;
  private double unmarked;
  private int ports;
  private double smooth;

  /** What rounding to whole marks has left. */
  private double owed;

  /**
   * Adds a report.
   *
   * @param reportedPackets of a destination behind several ports
   * @param unmarkedPackets those of them without CE, as they would be if only the ports that are
   *     about to limit them had marked
   * @param equalPorts how many those are
   */
  public void add(long reportedPackets, double unmarkedPackets, int equalPorts) {
    packets += reportedPackets;
    unmarked += unmarkedPackets;
    ports = Math.max(ports, equalPorts);
  }

  /**
   * Adds one port's part to its interval: n ports that are equally about to limit what crosses
   * them, and mark with f each, leave (1 - f)^n unmarked.
   */
  public void settle(Interval interval) {
    if (packets == 0) {
      return;
    }
    double all = packets;
    if (ports == 1) {
      owed += all - unmarked;
      smooth = 0;
    } else {
      double part = Math.min(unmarked / all, 1);
      if (smooth == 0) {
        smooth = part;
      }
      smooth += (part - smooth) / STEPS;
      owed += all * (1 - Math.pow(smooth, 1 / (double) ports));
    }
    double marks = Math.min(Math.max(Math.floor(owed), 0), all);
    owed = Numbers.clamp(owed - marks, -MAX_OWED, MAX_OWED);
    interval.packets += packets;
    interval.cePackets += (long) marks;
    packets = 0;
    unmarked = 0;
    ports = 0;
  }
}
