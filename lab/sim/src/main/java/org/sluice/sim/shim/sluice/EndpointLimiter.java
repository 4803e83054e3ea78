// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.sluice;

import java.util.List;
import java.util.function.Supplier;
import org.sluice.api.PortId;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.feedback.RelayedShare;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.host.PairState;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.queue.ClassQueue;
import org.sluice.sim.shim.queue.ClassQueueParameters;
import org.sluice.sim.shim.queue.Enforcement;
import org.sluice.sim.shim.queue.PriorityLimits;
import org.sluice.sim.shim.queue.WindowClamp;
import org.sluice.sim.shim.report.ReportBuffer;

/** Puts into force what one endpoint's laws decide: its classes' limits, and each pair's class. */
final class EndpointLimiter {
  /** A limit may be off by one part in so many before the class is changed. */
  private static final long LIMIT_TOLERANCE = 100;

  /** An unused class is kept so long, for its packets to leave and its port to return, ns. */
  private static final long VACANCY_NANOS = 1_000_000_000L;

  private final LocalEndpoint endpoint;
  private final ClassQueueParameters parameters;
  private final ClassQueue queue;
  private final EndpointControl control;
  private final WindowClamp clamp;
  private final PriorityLimits priority;
  private final Slot[] slots = new Slot[ClassQueue.SLOTS];
  private long ceiling;
  private boolean destinationsChanged;
  private long refusedPorts;

  /** A class of the endpoint; slot n + 1 is that of the laws' port n. */
  private static final class Slot {
    PortId port;
    long limit;
    long vacantSince = -1;
    boolean isUsed;
    final Waiting waiting = new Waiting();

    boolean isVacant() {
      return vacantSince >= 0;
    }
  }

  EndpointLimiter(
      LocalEndpoint endpoint,
      ClassQueueParameters parameters,
      ClassQueue queue,
      WindowClamp clamp,
      Supplier<HostLaw> newLaw,
      long staleNanos) {
    this.endpoint = endpoint;
    this.parameters = parameters;
    this.queue = queue;
    this.clamp = clamp;
    this.priority = new PriorityLimits(parameters);
    this.ceiling = parameters.nicBitsPerSecond();
    this.control = new EndpointControl(newLaw, new Bounds(ceiling, 0, 1), staleNanos);
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Slot();
    }
    slots[0].isUsed = true;
    slots[0].limit = ceiling;
  }

  int endpointNumber() {
    return endpoint.endpoint.number();
  }

  long refusedPorts() {
    return refusedPorts;
  }

  boolean hasClasses() {
    for (int i = 1; i < slots.length; i++) {
      if (slots[i].isUsed) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- decisions

  void setBounds(Bounds bounds, long nowNanos) {
    long nic = parameters.nicBitsPerSecond();
    long own = bounds.ceilingBitsPerSecond();
    ceiling = own > 0 ? Math.min(own, nic) : nic;
    queue.setCeiling(endpoint.index, ceiling, nowNanos);
    control.setBounds(
        new Bounds(ceiling, Math.min(bounds.guaranteeBitsPerSecond(), ceiling), bounds.weight()));
    for (int slot = 0; slot < slots.length; slot++) {
      Slot s = slots[slot];
      if (s.isUsed) {
        boolean limited = slot > 0 && !s.isVacant();
        setSlot(slot, limited ? Math.min(s.limit, ceiling) : ceiling, nowNanos);
      }
    }
  }

  void setShare(
      PortId port, PortShare share, int[] behind, long floor, double weight, double pairPart) {
    destinationsChanged = true;
    if (!control.setShare(port, share, behind, floor, weight, pairPart)) {
      refusedPorts++;
    }
  }

  void takeRelayedShare(RelayedShare relayed, int destination) {
    destinationsChanged = true;
    if (!control.takeRelayedShare(relayed.port(), relayed.share(), destination)) {
      refusedPorts++;
    }
  }

  void takeNotice(long nowNanos, PortId port, PortNotice notice, int[] behind) {
    destinationsChanged = true;
    if (!control.takeNotice(nowNanos, port, notice, behind)) {
      refusedPorts++;
    }
  }

  void setSession(boolean isOpen) {
    control.setSession(isOpen);
  }

  void release(PortId port) {
    destinationsChanged = true;
    control.remove(port);
  }

  // ---------------------------------------------------------------- evidence

  void sent(long nowNanos, PairState pair) {
    pair.sentNanos = nowNanos;
    control.sent(nowNanos, pair.remote, pair.sentBytes - pair.countedSentBytes);
    place(pair);
  }

  void feedback(PairState pair, long packets, long marks) {
    control.feedback(pair.remote, packets, marks);
  }

  // ---------------------------------------------------------------- every tau

  /** Ends an interval; true if any limit has changed. */
  boolean runLaws(long nowNanos) {
    int backlogged = 0;
    for (int slot = 1; slot < slots.length; slot++) {
      Slot s = slots[slot];
      if (s.isUsed && !s.isVacant() && queue.bulkPackets(endpoint.index, slot) > 0) {
        backlogged |= 1 << slot - 1;
      }
      s.waiting.observe((backlogged & 1 << slot - 1) != 0, nowNanos);
    }
    control.step(nowNanos, backlogged);
    clamp.turn(endpoint.flows, nowNanos);
    boolean changed = false;
    boolean taken = destinationsChanged;
    destinationsChanged = false;
    for (int slot = 1; slot < slots.length; slot++) {
      boolean wasUsed = slots[slot].isUsed && !slots[slot].isVacant();
      boolean isUsed = control.isActive(slot - 1);
      changed |= isUsed ? occupy(slot, nowNanos) : vacate(slot, nowNanos);
      taken |= isUsed != wasUsed;
    }
    if (taken) {
      placeAll();
    }
    clampWindows();
    return changed;
  }

  /** Finds out which pairs wait for their limits, and reports those of which that has changed. */
  void reportWaiting(long nowNanos, ReportBuffer reports) {
    List<PairState> pairs = endpoint.pairs();
    for (int i = 0; i < pairs.size(); i++) {
      PairState pair = pairs.get(i);
      boolean waits =
          pair.slot > 0
              && slots[pair.slot].waiting.isWaiting()
              && nowNanos - pair.sentNanos < Waiting.MEMBER_NANOS;
      if (waits != pair.waits) {
        pair.waits = waits;
        reports.add(pair, nowNanos);
      }
    }
  }

  /** Gives a port of the laws its class and limit. */
  private boolean occupy(int slot, long nowNanos) {
    Slot s = slots[slot];
    long limit = Math.min(control.limitBitsPerSecond(slot - 1), ceiling);
    boolean taken = !s.isUsed || s.isVacant() || !control.port(slot - 1).equals(s.port);
    s.isUsed = true;
    s.vacantSince = -1;
    s.port = control.port(slot - 1);
    if (!taken && Math.abs(s.limit - limit) * LIMIT_TOLERANCE <= s.limit) {
      return false;
    }
    destinationsChanged |= taken;
    setSlot(slot, limit, nowNanos);
    return true;
  }

  /** Lifts the limit of a class that the laws do not use, and in the end gives it up. */
  private boolean vacate(int slot, long nowNanos) {
    Slot s = slots[slot];
    if (!s.isUsed) {
      return false;
    }
    if (!s.isVacant()) {
      s.vacantSince = nowNanos;
      setSlot(slot, ceiling, nowNanos);
      return true;
    }
    if (nowNanos - s.vacantSince >= VACANCY_NANOS) {
      s.isUsed = false;
      s.port = null;
    }
    return false;
  }

  private void clampWindows() {
    for (int slot = 0; slot < slots.length; slot++) {
      Slot s = slots[slot];
      boolean isLimited =
          s.isUsed
              && !s.isVacant()
              && (slot > 0 || isCapped())
              && parameters.enforcement() == Enforcement.HTB;
      clamp.setLimit(slot, s.limit, isLimited, endpoint.flows.bulkFlows(slot));
    }
  }

  private boolean isCapped() {
    return ceiling < parameters.nicBitsPerSecond();
  }

  void arrives(PairState pair, Packet packet) {
    clamp.apply(packet, pair.slot, pair.leastRoundTripNanos);
  }

  private void setSlot(int slot, long limit, long nowNanos) {
    slots[slot].limit = limit;
    queue.setLimit(endpoint.index, slot, limit, nowNanos);
    endpoint.flows.setLimit(slot, limit, parameters, nowNanos);
    priority.setLimit(slot, limit, nowNanos);
  }

  // ---------------------------------------------------------------- each pair's class

  private void placeAll() {
    List<PairState> pairs = endpoint.pairs();
    for (int i = 0; i < pairs.size(); i++) {
      place(pairs.get(i));
    }
  }

  /** Puts what goes to a destination into the class whose limit holds for it. */
  void place(PairState pair) {
    int port = control.governing(pair.remote);
    pair.slot = port >= 0 && slots[port + 1].isUsed ? port + 1 : 0;
  }

  /** The limit in force towards a destination, bit/s. */
  long limitBitsPerSecond(int destination) {
    return slots[slotOf(destination)].limit;
  }

  /** Whether so much may leave for a destination by other levels than the last; it then counts. */
  boolean takePriority(int destination, int bytes, long nowNanos) {
    return priority.take(slotOf(destination), bytes, nowNanos);
  }

  private int slotOf(int destination) {
    PairState pair = endpoint.find(destination);
    return pair == null ? 0 : pair.slot;
  }
}
