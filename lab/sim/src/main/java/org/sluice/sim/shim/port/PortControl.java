// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.law.Interval;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.marks.MarkDivision;
import org.sluice.sim.shim.marks.MarkProbability;

/** The control of one congested port for one endpoint: its law, its evidence, its limit. */
final class PortControl {
  /**
   * However much goes through the port in other classes, the destinations that it governs keep one
   * part in so many of what they would have by head.
   */
  private static final double KEPT_PART = 2;

  /**
   * Limits are compared by their mean over so many steps: a destination that followed the loop's
   * own oscillation would change its class every few periods.
   */
  private static final double LEVEL_STEPS = 32;

  final PortId port;
  final Interval interval = new Interval();
  final MarkDivision markDivision = new MarkDivision();
  final MarkProbability markProbability = new MarkProbability();
  final OtherPortTraffic sentElsewhere = new OtherPortTraffic();
  HostLaw law;
  long limit;

  /** The mean of {@link #limit}, by which ports are compared. */
  double level;

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

  /** The longest round trip without queues to a destination that it governs, ns; 0: unknown. */
  long longestRoundTripNanos;

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
    level = limit;
  }

  /** Counts a destination with traffic that it governs. */
  void govern(long roundTripNanos) {
    governedDestinations++;
    longestRoundTripNanos = Math.max(longestRoundTripNanos, roundTripNanos);
  }

  /** Ends an interval; {@code ports} are all of the endpoint. */
  void step(long nowNanos, boolean backlogged, PortTable ports) {
    // Two sums that are each right may have been read a moment apart.
    interval.cePackets = Math.min(interval.cePackets, interval.packets);
    markProbability.observe(interval.packets, interval.cePackets);
    markDivision.settle(interval);
    if (interval.packets > 0) {
      markShare = (double) interval.cePackets / (double) interval.packets;
    }
    if (!isIdle) {
      interval.nowNanos = nowNanos;
      interval.elapsedNanos = stepped ? nowNanos - lastStep : 0;
      interval.backlogged = backlogged;
      interval.roundTripNanos = longestRoundTripNanos;
      interval.governedElsewhere =
          activeDestinations > 0 && governedDestinations == 0 && interval.packets == 0;
      sentElsewhere.measure(ports, interval.elapsedNanos);
      limit = law.step(interval);
      level = stepped ? level + ((double) limit - level) / LEVEL_STEPS : limit;
      stepped = true;
      lastStep = nowNanos;
      isIdle = law.isIdle(nowNanos);
    }
    interval.clear();
  }

  /** What remains of the port's limit for the destinations that it governs, bit/s. */
  long remaining() {
    if (governedDestinations == 0 || governedDestinations == activeDestinations) {
      return limit;
    }
    double kept = (double) limit * governedDestinations / activeDestinations / KEPT_PART;
    return (long) Math.max((double) limit - sentElsewhere.bitsPerSecond(), kept);
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
