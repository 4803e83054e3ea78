// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.law.Interval;
import org.sluice.sim.shim.law.PortShare;

/** The control of one congested port for one endpoint: its law, its evidence, its limit. */
final class PortControl {
  /**
   * However much goes through the port in other classes, the destinations that it governs keep one
   * part in so many of what they would have by head.
   */
  private static final double KEPT_PART = 2;

  final PortId port;
  final Interval interval = new Interval();
  final OtherPortTraffic sentElsewhere = new OtherPortTraffic();
  HostLaw law;
  long limit;

  /** What the endpoint is due there, marks and loans aside, bit/s. */
  double due;

  /** What part of that each destination that wants more is due. */
  double pairPart = 1;

  /** What part of it may be borrowed at all ports on the way of what it governs. */
  double lentPart;

  /** The last one, to activate the port with. */
  PortShare share = PortShare.NONE;

  long floor = EndpointControl.NO_FLOOR;

  /** The endpoint's weight at the port, as published; 0: its profile's. */
  double weight;

  /** The share came from a receiver's shim, not from the controller. */
  boolean isRelayed;

  /** When the controller published the share last, unless {@link #isRelayed}, ns. */
  long publishedNanos;

  /** It limits nothing: there has been neither a mark nor a share for long. */
  boolean isIdle;

  boolean stepped;
  long lastStep;

  /** Destinations behind the port with traffic, and those of them that it governs. */
  int activeDestinations;

  int governedDestinations;

  /** The part of reported packets with CE in the last interval with any. */
  double markShare;

  PortControl(PortId port) {
    this.port = port;
  }

  /** Makes it limit again, with a law that has no evidence yet. */
  void activate(HostLaw newLaw, long ceilingBitsPerSecond) {
    law = newLaw;
    isIdle = false;
    stepped = false;
    limit = ceilingBitsPerSecond;
    due = limit;
  }

  /** Ends an interval; {@code ports} are all of the endpoint. */
  void step(long nowNanos, boolean backlogged, PortTable ports) {
    // Two sums that are each right may have been read a moment apart.
    interval.cePackets = Math.min(interval.cePackets, interval.packets);
    if (interval.packets > 0) {
      markShare = (double) interval.cePackets / (double) interval.packets;
    }
    if (!isIdle) {
      interval.nowNanos = nowNanos;
      interval.elapsedNanos = stepped ? nowNanos - lastStep : 0;
      interval.backlogged = backlogged;
      interval.lentPart = lentPart;
      interval.governedElsewhere =
          activeDestinations > 0 && governedDestinations == 0 && interval.packets == 0;
      sentElsewhere.measure(ports, interval.elapsedNanos);
      limit = law.step(interval);
      due = ports.dueBitsPerSecond(this);
      stepped = true;
      lastStep = nowNanos;
      isIdle = law.isIdle(nowNanos) && ports.mayEnd(this);
    }
    interval.clear();
  }

  /** Whether its law goes by shares, and has one. */
  boolean hasShare() {
    return law.usesShares() && share.unitShareBitsPerSecond() > 0;
  }

  /**
   * What remains for the destinations that it governs, bit/s.
   *
   * @param least the port of the least share of all that carry the same: this one, or another
   * @param floorBitsPerSecond there
   */
  long remaining(PortControl least, long floorBitsPerSecond) {
    double x = (double) limit / Math.max(due, 1);
    if (governedDestinations == 0 || governedDestinations == activeDestinations) {
      long floor = Math.min(limit, floorBitsPerSecond);
      return least == this ? limit : Math.max((long) (least.due * x), floor);
    }
    double kept = least.due * governedDestinations / activeDestinations / KEPT_PART;
    return (long) (Math.max(least.due - sentElsewhere.bitsPerSecond(), kept) * x);
  }

  /**
   * What the endpoint may claim at the port: the floor that the controller published, never over
   * the ceiling; where it published none, of the endpoint's guarantee equal parts for the
   * destinations that are active (hose model, the source's side). A port without active
   * destinations counts as having one, so that its first packets find a floor.
   *
   * @param activeOverall of all the endpoint's destinations
   */
  long floorBitsPerSecond(Bounds bounds, int activeOverall) {
    if (floor != EndpointControl.NO_FLOOR) {
      return Math.min(floor, bounds.ceilingBitsPerSecond());
    }
    int behind = Math.max(activeDestinations, 1);
    int overall = activeDestinations < 1 ? activeOverall + 1 : activeOverall;
    return (long) ((double) bounds.guaranteeBitsPerSecond() * behind / Math.max(overall, behind));
  }
}
