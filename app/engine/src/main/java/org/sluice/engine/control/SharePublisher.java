// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.link.UnitShare;
import org.sluice.engine.control.ControlledPort.HostPart;
import org.sluice.engine.law.TwoTimeScaleLaw;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EndpointTable;
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

  static final long REFRESH_NANOS = 100_000_000L;

  /** With guarantees and several ports, u_p depends on others': recomputed so often, ns. */
  private static final long RECOMPUTE_NANOS = 20_000_000L;

  private final EngineState state;
  private final DecisionSink sink;
  private final TwoTimeScaleLaw law = new TwoTimeScaleLaw();
  private final Reservations reservations = new Reservations();
  private final Floors floors;
  private final ElsewhereLimits elsewhere;
  private final ShareRecipients recipients;
  private double[] weights = new double[64];
  private double[] lows = new double[64];
  private double[] highs = new double[64];

  /** Grows when the unit share of any port moves. */
  private int sharesVersion;

  public SharePublisher(EngineState state, DecisionSink sink, PublishedEndpoints endpoints) {
    this.state = state;
    this.sink = sink;
    this.recipients = new ShareRecipients(state, endpoints);
    this.floors = new Floors(state, reservations);
    this.elsewhere = new ElsewhereLimits(state);
  }

  public Reservations reservations() {
    return reservations;
  }

  public double guaranteedAt(int port) {
    return floors.guaranteedAt(port);
  }

  /** Decides about a port and publishes to those hosts for which something is new. */
  public void tick(ControlledPort control, long now) {
    computeShare(control, now);
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
    if (moved) {
      sharesVersion++;
      control.publishedShare = control.unitShare;
      control.publishedCapacity = state.ports.capacityBitsPerSecond[control.port];
      control.publishedWeight = state.ports.activeWeightMicros[control.port] / EndpointTable.MICROS;
    }
    if (moved || due) {
      control.publishedAt = now;
    }
    if (moved || due || control.partsChanged) {
      control.partsChanged = false;
      publish(control, moved, due);
    }
  }

  private void publish(ControlledPort control, boolean moved, boolean due) {
    for (int i = 0; i < control.parts.size(); i++) {
      HostPart part = control.parts.get(i);
      boolean changed = part.message == null;
      if (moved || changed) {
        part.message = message(control, part, false);
      }
      if (moved || changed || due) {
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
        part.reached);
  }

  /** Publishes to all hosts that the port's control has ended. */
  public void end(ControlledPort control) {
    for (HostPart part : control.parts) {
      expire(control, part);
    }
    control.parts.clear();
    state.ports.unitShareBitsPerSecond[control.port] = 0;
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
    boolean othersCount =
        ports.guaranteedEndpoints[port] > 0 || control.computedSharesVersion != sharesVersion;
    boolean stale =
        control.computedActivityVersion != ports.activityVersion[port]
            || control.computedNicVersion != state.nicVersion
            || (othersCount && now - control.computedAt >= RECOMPUTE_NANOS);
    if (!stale) {
      return;
    }
    control.computedActivityVersion = ports.activityVersion[port];
    control.computedNicVersion = state.nicVersion;
    control.computedSharesVersion = sharesVersion;
    control.computedAt = now;
    double capacity = ports.capacityBitsPerSecond[port];
    int count = collect(port);
    if (count > 0) {
      control.unitShare = law.unitShare(capacity, count, weights, lows, highs);
    } else if (control.unitShare == 0) {
      // All its pairs became idle between their marks and this tick.
      control.unitShare = capacity;
    }
    ports.unitShareBitsPerSecond[port] = control.unitShare;
    noteFloors(port, TwoTimeScaleLaw.floorScale(capacity, count, lows));
  }

  /** Gathers weights and bounds of the endpoints active through a port. */
  private int collect(int port) {
    ensureScratch(state.ports.activeEndpoints[port]);
    CrossingTable crossings = state.crossings;
    int count = 0;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      if (crossings.activePairs[c] > 0) {
        int endpoint = crossings.endpoint[c];
        weights[count] = state.endpoints.weightMicros[endpoint] / EndpointTable.MICROS;
        double ceiling = ceiling(endpoint);
        lows[count] = Math.min(ceiling, floors.floor(c));
        highs[count] = Math.min(ceiling, Math.max(lows[count], elsewhere.most(c)));
        count++;
      }
    }
    return count;
  }

  /**
   * Records the floors that {@link #collect} gathered, to be published. An idle endpoint has none,
   * so that its host finds one for its first packets.
   */
  private void noteFloors(int port, double scale) {
    CrossingTable crossings = state.crossings;
    int active = 0;
    for (int c = state.ports.firstCrossing[port]; c >= 0; c = crossings.nextOfPort[c]) {
      long floor = crossings.activePairs[c] > 0 ? Math.round(scale * lows[active++]) : 0;
      long known = crossings.floorBitsPerSecond[c];
      if (Math.abs(floor - known) > NOTICEABLE * known) {
        crossings.setFloor(c, floor);
      }
    }
  }

  private double ceiling(int endpoint) {
    long most = state.mostBitsPerSecond(endpoint);
    return most == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : most;
  }

  private void ensureScratch(int count) {
    if (weights.length < count) {
      int size = Math.max(count, 2 * weights.length);
      weights = new double[size];
      lows = new double[size];
      highs = new double[size];
    }
  }
}
