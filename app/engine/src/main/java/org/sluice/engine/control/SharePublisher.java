// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import java.util.List;
import org.sluice.api.TenantId;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.control.ControlledPort.HostPart;
import org.sluice.engine.law.TwoTimeScaleLaw;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * Applies {@link TwoTimeScaleLaw} to ports under control and publishes unit shares to hosts. All
 * hosts of a port get the same u_p: at once when it moves by more than {@link #NOTICEABLE}, and
 * again every {@link #REFRESH_NANOS}, as the network may have lost it. A host whose endpoints or
 * destinations behind the port changed, or the floor of one by more than {@link #NOTICEABLE}, gets
 * it at once.
 */
public final class SharePublisher {
  /** A smaller relative change of u_p or of a floor is not worth a message. */
  static final double NOTICEABLE = 0.005;

  /** A change of what is lent by less than this part of it is not worth one either. */
  private static final double NOTICEABLE_LOAN = 0.25;

  static final long REFRESH_NANOS = 100_000_000L;

  private final EngineState state;
  private final DecisionSink sink;
  private final Reservations reservations = new Reservations();
  private final Floors floors;
  private final PublishedEndpoints endpoints;
  private final Demands demands;
  private final PortLevels levels;
  private final ShareRecipients recipients;

  /** Grows when the unit share of any port moves, or somebody's part of one. */
  private int sharesVersion;

  public SharePublisher(EngineState state, DecisionSink sink, PublishedEndpoints endpoints) {
    this.state = state;
    this.sink = sink;
    this.recipients = new ShareRecipients(state, endpoints);
    this.floors = new Floors(state, reservations);
    this.endpoints = endpoints;
    this.demands = new Demands(state.crossings);
    this.levels = new PortLevels(state, floors);
  }

  public Reservations reservations() {
    return reservations;
  }

  public double guaranteedAt(int port) {
    return floors.guaranteedAt(port);
  }

  /** Calls back with the floor of each endpoint that is active through a port and has one. */
  public void floors(int port, FloorSink sink) {
    floors.forEach(port, sink);
  }

  /** Who of those active through a port has a floor there, by id. */
  public List<TenantId> tenantsWithFloors(int port) {
    return floors.tenantsAt(port);
  }

  /** What an endpoint that nobody holds is due at a port under control, bit/s; 0: not active. */
  Due dueOf(ControlledPort control, int crossing, long now) {
    return dueOf(control, crossing, 1, now);
  }

  /** The same if its tenant's weight were so many times what it is. */
  Due dueOf(ControlledPort control, int crossing, double weightFactor, long now) {
    return levels.dueOf(control.port, control.pairs, crossing, weightFactor, now);
  }

  /** Decides about a port and publishes to those hosts for which something is new. */
  public void tick(ControlledPort control, long now) {
    computeShare(control, now);
    control.loans.update(control.sources, control.unclaimed, control.trial.isOn(), state, now);
    if (control.publishedMembershipVersion != state.ports.membershipVersion[control.port]) {
      control.publishedMembershipVersion = state.ports.membershipVersion[control.port];
      control.partsChanged = true;
      recipients.regroup(control, part -> expire(control, part));
    }
    boolean moved =
        control.publishedCapacity != state.ports.capacityBitsPerSecond[control.port]
            || Math.abs(control.unitShare - control.publishedShare)
                > NOTICEABLE * control.publishedShare;
    boolean due = now - control.publishedAt >= REFRESH_NANOS;
    boolean equalCost = control.loans.areSpread();
    boolean isNew = moved || hasLentPartMoved(control) || equalCost != control.publishedEqualCost;
    if (isNew) {
      control.publishedEqualCost = equalCost;
      control.publishedLentPart = control.loans.part();
    }
    if (moved) {
      sharesVersion++;
      control.publishedShare = control.unitShare;
      control.publishedCapacity = state.ports.capacityBitsPerSecond[control.port];
      control.publishedWeight = control.activeWeight;
    }
    due |= isNew;
    if (moved || due) {
      control.publishedAt = now;
    }
    if (moved || due || control.partsChanged) {
      control.partsChanged = false;
      publish(control, isNew, due);
    }
  }

  private static boolean hasLentPartMoved(ControlledPort control) {
    double before = control.publishedLentPart;
    return Math.abs(control.loans.part() - before) > NOTICEABLE_LOAN * before;
  }

  private void publish(ControlledPort control, boolean isNew, boolean due) {
    for (int i = 0; i < control.parts.size(); i++) {
      HostPart part = control.parts.get(i);
      boolean changed = part.message == null;
      if (isNew || changed) {
        part.message = message(control, part, false);
      }
      if (isNew || changed || due) {
        send(part);
      }
    }
  }

  private void send(HostPart part) {
    sink.unitShare(part.id, part.message);
    state.counters.increment(Figure.UNIT_SHARES_SENT);
  }

  private UnitShare message(ControlledPort control, HostPart part, boolean expired) {
    return UnitShare.of(
        state.ports.id[control.port],
        Math.max(1, Math.round(control.publishedShare)),
        control.publishedCapacity,
        control.publishedWeight,
        expired,
        part.endpoints,
        part.reached,
        control.publishedLentPart,
        control.publishedEqualCost);
  }

  /** Publishes to all hosts that the port's control has ended. */
  public void end(ControlledPort control) {
    for (HostPart part : control.parts) {
      expire(control, part);
    }
    leave(control);
  }

  /**
   * Control of the port ends here and goes on elsewhere: hosts keep the last shares until the next
   * node publishes its own. Where it publishes none they end them themselves after a while.
   */
  public void leave(ControlledPort control) {
    control.parts.clear();
    state.ports.setUnitShare(control.port, 0);
    sharesVersion++;
  }

  private void expire(ControlledPort control, HostPart part) {
    part.message = message(control, part, true);
    send(part);
  }

  // ---------------------------------------------------------------- u_p

  private void computeShare(ControlledPort control, long now) {
    PortTable ports = state.ports;
    int port = control.port;
    boolean demandsChanged = false;
    if (control.sources.update(state, endpoints, now, false)) {
      double capacity = ports.capacityBitsPerSecond[port];
      demandsChanged = demands.update(control.sources, capacity, now);
      control.trial.update(control.sources, state.crossings, capacity, now);
    }
    boolean othersCount =
        ports.guaranteedEndpoints[port] > 0
            || state.tenants.guaranteed > 0
            || control.computedSharesVersion != sharesVersion;
    boolean stale =
        demandsChanged
            || control.computedActivityVersion != ports.activityVersion[port]
            || control.computedNicVersion != state.nicVersion
            || othersCount;
    if (!stale) {
      return;
    }
    control.computedActivityVersion = ports.activityVersion[port];
    control.computedNicVersion = state.nicVersion;
    control.computedSharesVersion = sharesVersion;
    if (levels.compute(port, control.pairs)) {
      control.unitShare = levels.unitShare();
      control.activeWeight = levels.activeWeight();
      control.totalFloor = levels.totalFloor();
      control.floorScale = levels.floorScale();
      control.unclaimed = levels.unclaimed();
      sharesVersion += levels.partsMoved() ? 1 : 0;
    } else {
      control.totalFloor = 0;
      control.floorScale = 1;
      if (control.unitShare == 0) {
        // All its pairs became idle between their marks and this tick.
        control.unitShare = ports.capacityBitsPerSecond[port];
      }
    }
    ports.setUnitShare(port, control.unitShare);
  }
}
