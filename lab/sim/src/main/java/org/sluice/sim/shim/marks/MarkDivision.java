// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

import org.sluice.sim.shim.law.Interval;

/**
 * Divides the marks of packets that crossed several congested ports: one port's part of them, in
 * one interval. That part is found from means: a single interval may show no marks at all, or
 * nothing but marks, and what others mark on average says nothing about it.
 */
public final class MarkDivision {
  /** Over so many steps the marked part is averaged: several of the law's swings. */
  private static final double STEPS = 32;

  /**
   * A destination is governed by the lowest port, which marks: however much others seem to mark, no
   * less than this part of the marks is its. Means lag when a queue grows.
   */
  private static final double LEAST_OWN_PART = 0.3;

  /**
   * What the controller published is a mean over about 100 ms, and a part of what was reported in
   * about as long, in steps: of fewer it would be a part of a single swing.
   */
  private static final int LONG_STEPS = 256;

  private long packets;
  private long marks;
  private double unmarkedByOthers;
  private int ports;
  private double publishedPart;

  // By step, averaged:
  private double meanPackets;
  private double meanMarks;
  private int steps;
  private double longMeanPackets;
  private double longMeanMarks;

  /** What rounding to whole marks has left. */
  private double owed;

  /**
   * Adds a report.
   *
   * @param reportedPackets of a destination behind several ports
   * @param cePackets those of them with CE
   * @param unmarked what those other ports of which it is known leave unmarked on average, (0, 1]
   * @param equalPorts of those of which it is not known, how many are about to limit them: this one
   *     and others
   * @param published the part of its packets that this port marks, as the controller publishes it;
   *     0: not known
   */
  public void add(
      long reportedPackets, long cePackets, double unmarked, int equalPorts, double published) {
    packets += reportedPackets;
    marks += cePackets;
    unmarkedByOthers += unmarked * (double) reportedPackets;
    ports = Math.max(ports, equalPorts);
    publishedPart = published;
  }

  /**
   * Adds one port's part to its interval. Where it is published what the port marks, it is that as
   * a part of what was marked of all. Else it is what others leave: n ports that are equally about
   * to limit what crosses them, and mark with f each, leave (1 - f)^n of what others leave
   * unmarked.
   */
  public void settle(Interval interval) {
    if (packets == 0) {
      return;
    }
    double gain = meanPackets == 0 ? 1 : 1 / STEPS;
    meanPackets += ((double) packets - meanPackets) * gain;
    meanMarks += ((double) marks - meanMarks) * gain;
    steps = Math.min(steps + 1, LONG_STEPS);
    longMeanPackets += ((double) packets - longMeanPackets) / steps;
    longMeanMarks += ((double) marks - longMeanMarks) / steps;
    owed += (double) marks * ownPart();
    long own = (long) Math.floor(owed);
    owed -= own;
    interval.packets += packets;
    interval.cePackets += own;
    packets = 0;
    marks = 0;
    unmarkedByOthers = 0;
    ports = 0;
  }

  /** The part of the marks that is this port's. */
  private double ownPart() {
    if (meanMarks <= 0) {
      return 1;
    }
    if (publishedPart > 0 && steps == LONG_STEPS) {
      return bounded(publishedPart * longMeanPackets / longMeanMarks);
    }
    double mean = Math.min(meanMarks / meanPackets, 1);
    double unmarked = Math.min((1 - mean) / (unmarkedByOthers / (double) packets), 1);
    double own = 1 - (ports == 1 ? unmarked : Math.pow(unmarked, 1.0 / ports));
    return bounded(own / mean);
  }

  private static double bounded(double part) {
    return Math.min(Math.max(part, LEAST_OWN_PART), 1);
  }
}
