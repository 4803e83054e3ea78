// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.PortTable;

/** What is known of a port under control, and what was published about it. */
public final class ControlledPort {
  public final int port;

  /** Engine time of the last marks or, under Sluice's law, when it was last seen loaded, ns. */
  long markedAt;

  /** Whether a law has decided about it yet. */
  private boolean started;

  /** Whether any marks came over an estimated path. */
  boolean estimated;

  /** u_p as computed last, bit/s; 0 before the first time and under SDN-GCC. */
  double unitShare;

  /** W_p as computed last. */
  double activeWeight;

  /** What floors come to, as computed last and before they are scaled, bit/s. */
  double totalFloor;

  /** What part of their floors all have; 1 unless floors come to too much of the port. */
  double floorScale = 1;

  /** What nobody demands of it, as computed last, bit/s. */
  double unclaimed;

  int computedActivityVersion = -1;
  int computedNicVersion = -1;
  int computedSharesVersion = -1;

  /** u_p and W as hosts have them. */
  double publishedShare;

  double publishedWeight;
  double publishedLentPart;
  boolean publishedEqualCost;
  long publishedCapacity;
  long publishedAt;
  int publishedMembershipVersion = -1;
  int publishedEntriesVersion = -1;
  int publishedHoldersVersion = -1;

  /** Whether some host's part is not as it was published. */
  boolean partsChanged;

  /** What was published to each host; hosts are few per port, and the order is that of joining. */
  final List<HostPart> parts = new ArrayList<>();

  /** Who would send more if there were room. */
  final Trial trial = new Trial();

  /** What of it is due to others than those who could use it now. */
  final Loans loans = new Loans();

  /** Whether some pair through it has an unreported receiver, and when to evaluate again. */
  boolean hasUnreportedReceivers;

  long receiversCheckedUntil = Long.MIN_VALUE;

  /** {@link org.sluice.engine.state.PortTable#membershipVersion} at that time. */
  int receiversCheckedVersion = -1;

  /** The marked part in the last notices. */
  double noticedPart;

  /** What crosses it. */
  final PortPairs pairs;

  /** Those to whom notices go. */
  final PortSources sources;

  // Of the journal.
  public double journaledShare;
  public long journaledAt;
  public long noticesJournaledAt = Long.MIN_VALUE / 2;
  public boolean scaledFloorsJournaled;
  public long floorsJournaledAt = Long.MIN_VALUE / 2;

  ControlledPort(int port) {
    this.port = port;
    this.pairs = new PortPairs(port);
    this.sources = new PortSources(port, pairs);
  }

  /** Whether a law decides about it for the first time; to be called when one does. */
  public boolean start() {
    boolean first = !started;
    started = true;
    return first;
  }

  /** Whether any marks came over an estimated path. */
  public boolean isEstimated() {
    return estimated;
  }

  /** u_p as hosts have it, bit/s. */
  public double publishedShare() {
    return publishedShare;
  }

  /** W_p: the weights of those that share the port, tenants, or endpoints by themselves. */
  public double activeWeight(PortTable ports) {
    return activeWeight > 0
        ? activeWeight
        : ports.activeWeightMicros[port] / EndpointTable.MICROS; // SDN-GCC has no other.
  }

  /** What floors come to at the port, before they are scaled, bit/s. */
  public double totalFloor() {
    return totalFloor;
  }

  /** Whether floors are scaled down, since they come to too much of the port. */
  public boolean scalesFloors() {
    return floorScale < 1;
  }

  /** What part of their floors all have, at most 1. */
  public double floorScale() {
    return floorScale;
  }

  /** The marked part in the last notices. */
  public double noticedPart() {
    return noticedPart;
  }

  /** One host's part of a port under control. */
  static final class HostPart {
    final int host;
    final HostId id;
    List<ControlledEndpoint> endpoints = List.of();

    /** Of these endpoints, in the same order. */
    IntList crossings = new IntList();

    /** The host's addresses that are reached through the port. */
    Set<IpAddress> reached = Set.of();

    /** What was published to the host last; null when that has changed. */
    UnitShare message;

    HostPart(int host, HostId id) {
      this.host = host;
      this.id = id;
    }
  }
}
