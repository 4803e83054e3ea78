// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Shim;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;
import org.sluice.sim.shim.marks.EcnRules;
import org.sluice.sim.shim.queue.ClassQueue;
import org.sluice.sim.shim.queue.ClassQueueParameters;
import org.sluice.sim.shim.queue.SparseFlows;

/**
 * What all shims that limit rates do: they count per pair, keep the ECN rules, choose the class of
 * what leaves, and turn every tau, in a phase of their own, while there is traffic.
 */
public abstract class ShimBase implements Shim {
  /** After so long without a packet a shim is idle until the next, ns. */
  private static final long IDLE_NANOS = 1_000_000_000L;

  protected final Network network;
  protected final Host host;
  protected final ClassQueueParameters classParameters;
  protected final ClassQueue queue;
  protected final List<LocalEndpoint> endpoints = new ArrayList<>();
  protected final ShimMessages messages;
  private final EcnRules ecn = new EcnRules();

  private final long tauNanos;
  private final long phaseNanos;
  private final Event turn = new Turn();

  // By endpoint number: those of this host.
  private LocalEndpoint[] local = new LocalEndpoint[0];

  private PairState[] touched = new PairState[64];
  private int touchedCount;
  private long lastPacketNanos;
  private long forgedControlPackets;
  private long spoofedPackets;

  protected ShimBase(
      Network network, Host host, ClassQueueParameters classParameters, long tauNanos) {
    this.network = network;
    this.host = host;
    this.classParameters = classParameters;
    this.tauNanos = tauNanos;
    this.messages = new ShimMessages(network, host);
    this.phaseNanos = network.random().stream("shim " + host.name()).nextLong(tauNanos);
    for (Endpoint endpoint : network.endpoints()) {
      if (endpoint.mayLiveOn(host)) {
        local = Arrays.copyOf(local, endpoint.number() + 1);
        LocalEndpoint added =
            new LocalEndpoint(endpoint, endpoints.size(), new SparseFlows(classParameters));
        local[endpoint.number()] = added;
        endpoints.add(added);
      }
    }
    this.queue = new ClassQueue(classParameters, endpoints.size());
  }

  /** Takes its place between sockets and NIC. Before any traffic. */
  public final void install() {
    host.nic().setQueue(queue);
    host.addShim(this);
  }

  /** Its endpoint of this number, or null. */
  protected final LocalEndpoint localEndpoint(int number) {
    return number < local.length ? local[number] : null;
  }

  protected final PairState pair(LocalEndpoint endpoint, int remote) {
    PairState pair = endpoint.find(remote);
    if (pair == null) {
      pair = endpoint.add(remote);
      pairBegan(pair);
    }
    return pair;
  }

  /** Whether limits and ECN rules are in force. */
  protected abstract boolean isEnforcing(long nowNanos);

  /** Whether the agent runs: whether it turns and takes messages. */
  protected abstract boolean isAlive();

  /** A pair without a class. */
  protected abstract void pairBegan(PairState pair);

  /** One period: deals with what was touched. */
  protected abstract void turn(long nowNanos);

  /** A packet of a pair's sender is to leave. */
  protected abstract void leaves(PairState pair, Packet packet, long nowNanos);

  /** A message of another shim has come in. */
  protected abstract void takeMessage(PairState pair, Packet message, long nowNanos);

  /** A packet of a pair's other end has come in; ECN is as on the wire. */
  protected abstract void arrives(PairState pair, Packet packet, long nowNanos);

  /** Whether an endpoint sees the marks of connections that have agreed on ECN. */
  protected abstract boolean preservesEcn(LocalEndpoint endpoint);

  @Override
  public final boolean outgoing(Packet packet) {
    LocalEndpoint source = localEndpoint(packet.source);
    if (source == null || packet.protocol == Protocol.SLUICE) {
      spoofedPackets += source == null ? 1 : 0;
      forgedControlPackets += source == null ? 0 : 1;
      network.pool().giveBack(packet);
      return false;
    }
    long now = network.scheduler().now();
    int bytes = packet.ipBytes + classParameters.overheadBytes();
    PairState pair = pair(source, packet.destination);
    pair.sentPackets++;
    pair.sentBytes += bytes;
    touch(pair, now);
    if (!isEnforcing(now)) {
      packet.queueClass = ClassQueue.OPEN;
      return true;
    }
    if (hasShim(packet.destination)) {
      ecn.outgoing(packet);
    }
    boolean hasData = packet.payloadBytes > 0;
    boolean sparse = source.flows.isSparse(packet.flowHash, pair.slot, bytes, hasData, now);
    packet.queueClass = ClassQueue.leaf(source.index, pair.slot, sparse);
    leaves(pair, packet, now);
    return true;
  }

  @Override
  public final boolean incoming(Packet packet) {
    LocalEndpoint destination = localEndpoint(packet.destination);
    if (destination == null) {
      network.pool().giveBack(packet);
      return false;
    }
    long now = network.scheduler().now();
    PairState pair = pair(destination, packet.source);
    if (packet.protocol == Protocol.SLUICE) {
      if (isAlive()) {
        takeMessage(pair, packet, now);
      }
      network.pool().giveBack(packet);
      return false;
    }
    pair.receivedPackets++;
    int bytes = packet.ipBytes + classParameters.overheadBytes();
    pair.receivedBytes += bytes;
    boolean exceeds = destination.exceeds(bytes, now);
    if (packet.ecn == Ecn.CE) {
      pair.cePackets++;
    } else if (exceeds) {
      pair.phantomCePackets++;
    }
    touch(pair, now);
    arrives(pair, packet, now);
    if (isEnforcing(now) && hasShim(packet.source)) {
      ecn.incoming(packet, preservesEcn(destination));
    }
    return true;
  }

  /** Others keep their own ECN field, and answer no message. */
  private boolean hasShim(int endpoint) {
    return network.endpoint(endpoint).host().hasShim();
  }

  private void touch(PairState pair, long now) {
    lastPacketNanos = now;
    if (!pair.touched) {
      pair.touched = true;
      if (touchedCount == touched.length) {
        touched = Arrays.copyOf(touched, touchedCount * 2);
      }
      touched[touchedCount++] = pair;
      if (!turn.isArmed()) {
        startTurning(now);
      }
    }
  }

  protected final int touchedCount() {
    return touchedCount;
  }

  protected final PairState touched(int i) {
    return touched[i];
  }

  /** Starts to turn, at the next time of its own grid. */
  protected final void startTurning(long now) {
    if (isAlive()) {
      long turns = Math.floorDiv(now - phaseNanos, tauNanos) + 1;
      network.scheduler().arm(turn, phaseNanos + turns * tauNanos);
    }
  }

  protected final void stopTurning() {
    network.scheduler().disarm(turn);
  }

  protected final long tauNanos() {
    return tauNanos;
  }

  private final class Turn extends Event {
    @Override
    protected void fire() {
      long now = network.scheduler().now();
      turn(now);
      for (int i = 0; i < touchedCount; i++) {
        touched[i].touched = false;
        touched[i] = null;
      }
      touchedCount = 0;
      if (now - lastPacketNanos < IDLE_NANOS || mustTurn()) {
        network.scheduler().arm(this, now + tauNanos);
      }
    }
  }

  /** Whether it has to turn although nothing passes. */
  protected abstract boolean mustTurn();

  /** Messages sent to other shims. */
  public final long messagesSent() {
    return messages.sent();
  }

  /** CE that virtual machines sent: cleared. */
  public final long forgedCePackets() {
    return ecn.forgedCePackets();
  }

  /** Reserved bits that virtual machines sent: cleared. */
  public final long forgedReservedBits() {
    return ecn.forgedReservedBits();
  }

  /** Messages of shims that virtual machines sent: dropped. */
  public final long forgedControlPackets() {
    return forgedControlPackets;
  }

  /** Packets with a source that is not this host's: dropped. */
  public final long spoofedPackets() {
    return spoofedPackets;
  }

  /** The NIC's classes. */
  public final ClassQueue classes() {
    return queue;
  }

  public final Host host() {
    return host;
  }
}
