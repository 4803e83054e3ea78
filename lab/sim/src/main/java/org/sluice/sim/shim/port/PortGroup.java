// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.Interval;
import org.sluice.sim.shim.law.Law;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.marks.KnownMarks;
import org.sluice.sim.shim.marks.SharedMarks;

/** One congested port of an endpoint, and what the endpoint knows of it. */
final class PortGroup {
  /**
   * However much goes through the port in other classes, what obeys this group keeps one part in so
   * many of what its destinations would have by head.
   */
  private static final double KEPT_PART = 2;

  /**
   * Limits are compared by their mean over so many steps: a destination that followed the loop's
   * own oscillation would change its class every few periods.
   */
  private static final double LEVEL_STEPS = 32;

  final PortId port;
  final Interval interval = new Interval();
  final SharedMarks sharedMarks = new SharedMarks();
  final KnownMarks knownMarks = new KnownMarks();
  final SentElsewhere sentElsewhere = new SentElsewhere();
  Law law;
  long limit;

  /** The mean of {@link #limit}, by which groups are compared. */
  double level;

  /** The last one, to wake the group with. */
  PortShare share = PortShare.NONE;

  long floor = EndpointControl.NO_FLOOR;

  /** The share came from a receiver's shim, not from the controller. */
  boolean learnt;

  /** By when the controller had told of the port, unless {@link #learnt}, ns. */
  long toldAt;

  boolean asleep;
  boolean stepped;
  long lastStep;

  /** Destinations behind the port with traffic, and those of them that obey this group. */
  int active;

  int obeying;
  double lastMarks;

  PortGroup(PortId port) {
    this.port = port;
  }

  /** Wakes it with a law that knows nothing yet. */
  void wake(Law newLaw, long ceilingBitsPerSecond) {
    law = newLaw;
    asleep = false;
    stepped = false;
    limit = ceilingBitsPerSecond;
    level = limit;
  }

  /** Ends an interval; {@code groups} are all of the endpoint. */
  void step(long nowNanos, boolean backlogged, PortGroup[] groups) {
    // Two sums that are each right may have been read a moment apart.
    interval.cePackets = Math.min(interval.cePackets, interval.packets);
    knownMarks.observe(interval.packets, interval.cePackets);
    sharedMarks.settle(interval);
    if (interval.packets > 0) {
      lastMarks = (double) interval.cePackets / (double) interval.packets;
    }
    if (!asleep) {
      interval.nowNanos = nowNanos;
      interval.elapsedNanos = stepped ? nowNanos - lastStep : 0;
      interval.backlogged = backlogged;
      interval.elsewhere = active > 0 && obeying == 0 && interval.packets == 0;
      sentElsewhere.measure(groups, interval.elapsedNanos);
      limit = law.step(interval);
      level = stepped ? level + ((double) limit - level) / LEVEL_STEPS : limit;
      stepped = true;
      lastStep = nowNanos;
      asleep = law.isIdle(nowNanos);
    }
    interval.clear();
  }

  /** What remains of the port's limit for those who obey it, bit/s. */
  long left() {
    if (obeying == 0 || obeying == active) {
      return limit;
    }
    double kept = (double) limit * obeying / active / KEPT_PART;
    return (long) Math.max((double) limit - sentElsewhere.bitsPerSecond(), kept);
  }

  /**
   * What this group may claim: the floor that the controller told, never over the ceiling; where it
   * told none, of an endpoint's guarantee equal parts for the destinations that are active (hose
   * model, the source's side). A group without active destinations is reckoned with one, so that
   * its first packets find a floor.
   *
   * @param activeOverall of all the endpoint's destinations
   */
  long floorBitsPerSecond(Bounds bounds, int activeOverall) {
    if (floor != EndpointControl.NO_FLOOR) {
      return Math.min(floor, bounds.ceilingBitsPerSecond());
    }
    int inGroup = Math.max(active, 1);
    int overall = active < 1 ? activeOverall + 1 : activeOverall;
    return (long) ((double) bounds.guaranteeBitsPerSecond() * inGroup / Math.max(overall, inGroup));
  }
}
