// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.hygenicc;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.host.PairState;
import org.sluice.sim.shim.host.ShimBase;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.HyGenIcc;
import org.sluice.sim.shim.law.HyGenIccParameters;
import org.sluice.sim.shim.law.Interval;

/**
 * A host's shim under HyGenICC: no controller. As a receiver (Algorithm 2) it reflects marks in the
 * reserved bit of what goes back, and those that wait for Feedback_Timeout in a message of their
 * own. As a sender (Algorithm 1) it limits each endpoint to R.
 */
public final class HyGenIccShim extends ShimBase {
  /** The paper's message, without its 14 bytes of Ethernet: IP header, 2 bytes of marks. */
  static final int FEEDBACK_IP_BYTES = 22;

  /** After so long without sending an endpoint has no part in the NIC's capacity, ns. */
  private static final long INACTIVE_NANOS = 1_000_000_000L;

  private final HyGenIccSettings settings;
  private final List<Sender> senders = new ArrayList<>();

  /** Pairs with marks to reflect. */
  private final List<PairState> marked = new ArrayList<>();

  public HyGenIccShim(Network network, Host host, HyGenIccSettings settings) {
    super(network, host, settings.classesOf(host.nic().rateBitsPerSecond()), settings.timerNanos());
    this.settings = settings;
    HyGenIccParameters law = settings.lawOf(host.nic().rateBitsPerSecond());
    for (int i = 0; i < endpoints.size(); i++) {
      senders.add(new Sender(law));
    }
  }

  /** One endpoint's rate. */
  private static final class Sender {
    final HyGenIcc law;
    final Interval interval = new Interval();
    double weight = 1;
    long sentNanos = -INACTIVE_NANOS;
    long lastStep;
    long limit;
    long share;

    Sender(HyGenIccParameters parameters) {
      law = new HyGenIcc(parameters);
    }
  }

  /**
   * Changes an endpoint's weight in its NIC.
   *
   * @param weight above 0
   */
  public void setWeight(int endpoint, double weight) {
    senders.get(localEndpoint(endpoint).index).weight = weight;
  }

  /** An endpoint's R, bit/s. */
  public long limitBitsPerSecond(int endpoint) {
    return senders.get(localEndpoint(endpoint).index).limit;
  }

  @Override
  protected boolean isEnforcing(long nowNanos) {
    return true;
  }

  @Override
  protected boolean isAlive() {
    return true;
  }

  @Override
  protected boolean preservesEcn(LocalEndpoint endpoint) {
    return settings.preserveEcn();
  }

  @Override
  protected void pairBegan(PairState pair) {}

  /** Algorithm 2, Packet_Departure. */
  @Override
  protected void leaves(PairState pair, Packet packet, long nowNanos) {
    Sender sender = senders.get(pair.local.index);
    sender.sentNanos = nowNanos;
    sender.interval.sentBytes += packet.ipBytes;
    if (settings.reservedBit() && pair.reflection.reflect()) {
      packet.reservedBit = true;
    }
  }

  /** Algorithm 1 and 2, Packet_Arrival. */
  @Override
  protected void arrives(PairState pair, Packet packet, long nowNanos) {
    if (packet.reservedBit) {
      packet.reservedBit = false;
      senders.get(pair.local.index).interval.cePackets++;
    }
    if (packet.ecn == Ecn.CE) {
      pair.reflection.mark();
      if (!pair.awaitsReflection) {
        pair.awaitsReflection = true;
        marked.add(pair);
      }
    }
  }

  @Override
  protected void takeMessage(PairState pair, Packet message, long nowNanos) {
    senders.get(pair.local.index).interval.cePackets += message.feedbackMarks;
  }

  @Override
  protected void turn(long nowNanos) {
    reflect(nowNanos);
    updateRates(nowNanos);
  }

  /** Sends the marks that packets have not taken back in time. */
  private void reflect(long now) {
    int kept = 0;
    for (int i = 0; i < marked.size(); i++) {
      PairState pair = marked.get(i);
      long taken = pair.reflection.takeForMessage(now, settings.feedbackTimeoutNanos());
      if (taken > 0) {
        Packet message = messages.blank(FEEDBACK_IP_BYTES);
        message.feedbackMarks = taken;
        messages.send(pair, message);
      }
      if (pair.reflection.hasMarks()) {
        marked.set(kept++, pair);
      } else {
        pair.awaitsReflection = false;
      }
    }
    while (marked.size() > kept) {
      marked.remove(marked.size() - 1);
    }
  }

  private void updateRates(long now) {
    double activeWeight = 0;
    for (int i = 0; i < senders.size(); i++) {
      if (now - senders.get(i).sentNanos < INACTIVE_NANOS) {
        activeWeight += senders.get(i).weight;
      }
    }
    boolean changed = false;
    for (int i = 0; i < senders.size(); i++) {
      changed |= update(senders.get(i), i, now, activeWeight);
    }
    if (changed) {
      host.nic().wake();
    }
  }

  private boolean update(Sender sender, int index, long now, double activeWeight) {
    boolean active = now - sender.sentNanos < INACTIVE_NANOS;
    double part = active ? sender.weight / activeWeight : 1;
    long share = Math.round(host.nic().rateBitsPerSecond() * part);
    if (share != sender.share) {
      sender.share = share;
      sender.law.setBounds(new Bounds(share, 0, sender.weight));
    }
    sender.interval.nowNanos = now;
    sender.interval.elapsedNanos = now - sender.lastStep;
    sender.interval.backlogged = queue.bulkPackets(index, 0) > 0;
    sender.lastStep = now;
    long limit = sender.law.step(sender.interval);
    sender.interval.clear();
    if (limit == sender.limit) {
      return false;
    }
    sender.limit = limit;
    queue.setLimit(index, 0, limit, now);
    endpoints.get(index).flows.setLimit(0, limit, classParameters, now);
    return true;
  }

  @Override
  protected boolean mustTurn() {
    return !marked.isEmpty();
  }
}
