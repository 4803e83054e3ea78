// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.WindowGrant;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Shim;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.law.SedWindow;

/**
 * SED's shim in a hypervisor: follows the connections that its virtual machines open, reports them
 * while the controller requests it, and writes the windows that it grants into the acknowledgements
 * that come in for them ({@link SedWindow}).
 *
 * <p>If the controller requests it, a SYN-ACK waits until it has answered for its connection, as
 * the paper's SYN does at the switch; else first windows of many senders would meet in the queue
 * before the controller has any of them in its table.
 */
public final class SedShim implements Shim {
  /** What a sender begins with whose SYN-ACK has waited in vain (RFC 6928), segments. */
  private static final int FIRST_WINDOW_SEGMENTS = 10;

  /** T_i until the controller says it. */
  private static final long DEFAULT_PERIOD_NANOS = 5_000_000L;

  private final Network network;
  private final Host host;
  private final Addresses addresses;
  private final SedSettings settings;
  private final Observer observer;
  private final Map<FlowKey, GrantedFlow> flows = new LinkedHashMap<>();

  /** Of connections that have not begun. */
  private final Map<FlowKey, WindowGrant> early = new HashMap<>();

  private final Map<FlowKey, Packet> held = new HashMap<>();
  private final List<GrantedFlow> touched = new ArrayList<>();
  private final Event turn = new Turn();
  private long duplicates;

  // As the controller says:
  private boolean watches;
  private boolean answersLosses;
  private long periodNanos = DEFAULT_PERIOD_NANOS;
  private long patienceNanos;

  /** Is notified of what connections do, while they are watched. */
  public interface Observer {
    /** So much is new of these. */
    void reported(List<FlowUpdate> flows, long nowNanos);
  }

  public SedShim(
      Network network, Host host, Addresses addresses, SedSettings settings, Observer observer) {
    this.network = network;
    this.host = host;
    this.addresses = addresses;
    this.settings = settings;
    this.observer = observer;
  }

  /** What the controller has it do. */
  public void follow(HostSettings value) {
    watches = value.reportFlows();
    answersLosses = value.reportLosses();
    periodNanos = TimeUnit.MICROSECONDS.toNanos(value.controlPeriodMicros());
    patienceNanos =
        settings.holdsHandshakes() ? TimeUnit.MICROSECONDS.toNanos(value.handshakeWaitMicros()) : 0;
  }

  /** Nobody controls it any more: all windows are what the receivers offer. */
  public void release() {
    watches = false;
    answersLosses = false;
    patienceNanos = 0;
    early.clear();
    long now = network.scheduler().now();
    for (GrantedFlow flow : List.copyOf(flows.values())) {
      grant(flow, SedWindow.NO_GRANT, now);
    }
  }

  @Override
  public boolean outgoing(Packet packet) {
    if (packet.protocol != Protocol.TCP) {
      return true;
    }
    if (answersLosses && packet.payloadBytes > 0) {
      GrantedFlow flow = flows.get(addresses.flow(packet));
      if (flow != null) {
        flow.losses.sent(packet.sequence + packet.payloadBytes);
      }
    }
    boolean begins = (packet.flags & (Packet.SYN | Packet.ACK)) == Packet.SYN;
    if (begins) {
      open(addresses.flow(packet));
    } else if ((packet.flags & Packet.FIN) != 0) {
      GrantedFlow flow = flows.get(addresses.flow(packet));
      if (flow != null) {
        flow.endsAt(packet.sequence + packet.payloadBytes);
      }
    }
    return true;
  }

  private void open(FlowKey key) {
    if (!flows.containsKey(key)) { // Else the SYN is sent again.
      GrantedFlow flow = new GrantedFlow(key, settings.segmentBytes());
      flows.put(key, flow);
      report(flow, FlowUpdate.State.OPENED);
      WindowGrant before = early.remove(key);
      if (before != null) {
        apply(before);
      }
    }
  }

  private void report(GrantedFlow flow, FlowUpdate.State state) {
    if (watches) {
      long now = network.scheduler().now();
      observer.reported(List.of(flow.update(state, now)), now);
    }
  }

  @Override
  public boolean incoming(Packet packet) {
    if (packet.protocol != Protocol.TCP || (packet.flags & Packet.ACK) == 0) {
      return true;
    }
    GrantedFlow flow = flows.get(reverseKey(packet));
    if (flow == null) {
      return true;
    }
    if (!flow.hasForm()) {
      flow.rememberForm(packet, network.pool().take());
    }
    if ((packet.flags & Packet.SYN) != 0) {
      flow.losses.negotiated(packet.sackPermitted);
    }
    flow.time(packet, network.scheduler().now());
    boolean mayWait = patienceNanos > 0 && !flow.isAnswered;
    if ((packet.flags & Packet.SYN) != 0 && mayWait) {
      hold(flow, packet);
      return false;
    }
    acknowledge(flow, packet);
    sendDuplicatesAfterwards(flow);
    touch(flow);
    if (flow.isOver()) {
      flows.remove(flow.key);
      report(flow, FlowUpdate.State.CLOSED);
    }
    return true;
  }

  private void hold(GrantedFlow flow, Packet synAck) {
    Packet former = held.put(flow.key, synAck);
    if (former != null) {
      network.pool().giveBack(former);
      return;
    }
    network.scheduler().armIn(Event.running(() -> letGoUnanswered(flow)), patienceNanos);
  }

  private void letGoUnanswered(GrantedFlow flow) {
    Packet synAck = held.get(flow.key);
    if (synAck != null) {
      long most = (long) FIRST_WINDOW_SEGMENTS * settings.segmentBytes();
      synAck.windowBytes = Math.min(synAck.windowBytes, most);
      letGo(flow);
    }
  }

  private void letGo(GrantedFlow flow) {
    Packet synAck = held.remove(flow.key);
    if (synAck != null) {
      flow.isAnswered = true;
      acknowledge(flow, synAck);
      deliver(synAck);
    }
  }

  /** That it is established is reported at once, with the round trip of its handshake. */
  private void acknowledge(GrantedFlow flow, Packet packet) {
    boolean isNew = !flow.isEstablished();
    flow.acknowledge(packet, network.scheduler().now());
    if (isNew) {
      report(flow, FlowUpdate.State.ESTABLISHED);
    }
  }

  /** The controller's answer for a connection, or a later change of it. */
  public void apply(WindowGrant grant) {
    GrantedFlow flow = flows.get(grant.flow());
    if (flow == null) {
      keep(grant);
      return;
    }
    grant(
        flow,
        grant.isReleased() ? SedWindow.NO_GRANT : grant.windowBytes(),
        network.scheduler().now());
    if (grant.windowBytes() == 0) {
      startTurning();
    }
  }

  private void grant(GrantedFlow flow, long windowBytes, long nowNanos) {
    flow.isAnswered = true;
    flow.window.grant(windowBytes, nowNanos);
    letGo(flow);
    update(flow, nowNanos);
  }

  /** Keeps what is granted to a connection before its SYN. */
  private void keep(WindowGrant grant) {
    if (grant.isReleased()) {
      early.remove(grant.flow());
    } else {
      early.put(grant.flow(), grant);
    }
  }

  /** RSED: packets of a connection were lost. */
  public void answer(LossAnswer answer) {
    GrantedFlow flow = flows.get(answer.flow());
    if (flow != null) {
      flow.losses.lost(answer.sequence(), answer.payloadBytes(), flow.acknowledgedBytes());
      sendDuplicatesAfterwards(flow);
    }
  }

  /** After the acknowledgement that is being taken in, which is not delivered yet. */
  private void sendDuplicatesAfterwards(GrantedFlow flow) {
    if (answersLosses && flow.needsDuplicates()) {
      network.scheduler().armIn(Event.running(() -> sendDuplicates(flow)), 0);
    }
  }

  private void sendDuplicates(GrantedFlow flow) {
    for (int i = 1; i <= FastRetransmitTrigger.DUPLICATES; i++) {
      Packet duplicate = network.pool().take();
      flow.writeDuplicate(duplicate, i);
      deliver(duplicate);
    }
    duplicates += FastRetransmitTrigger.DUPLICATES;
  }

  /** Duplicate acknowledgements that it has made. */
  public long duplicates() {
    return duplicates;
  }

  /** A sender whose window was small or closed needs an update to send more. */
  private void update(GrantedFlow flow, long now) {
    if (flow.needsUpdate(now)) {
      Packet packet = network.pool().take();
      flow.writeUpdate(packet, now);
      deliver(packet);
    }
  }

  private void deliver(Packet packet) {
    packet.receiver.receive(packet);
    network.pool().giveBack(packet);
  }

  private void touch(GrantedFlow flow) {
    if (!flow.isTouched) {
      flow.isTouched = true;
      touched.add(flow);
      startTurning();
    }
  }

  private void startTurning() {
    if (!turn.isArmed()) {
      network.scheduler().armIn(turn, periodNanos);
    }
  }

  /** The connection whose data an incoming packet acknowledges. */
  private FlowKey reverseKey(Packet packet) {
    return FlowKey.of(
        addresses.ip(packet.destination),
        packet.destinationPort,
        addresses.ip(packet.source),
        packet.sourcePort);
  }

  public Host host() {
    return host;
  }

  /** Reports progress to the controller, and opens windows that were closed for too long. */
  private final class Turn extends Event {
    @Override
    protected void fire() {
      long now = network.scheduler().now();
      List<FlowUpdate> progress = new ArrayList<>(touched.size());
      for (GrantedFlow flow : touched) {
        flow.isTouched = false;
        if (!flow.isOver()) {
          progress.add(flow.update(FlowUpdate.State.ESTABLISHED, now));
        }
      }
      touched.clear();
      if (watches && !progress.isEmpty()) {
        observer.reported(progress, now);
      }
      boolean waits = false;
      for (GrantedFlow flow : flows.values()) {
        waits |= flow.window.opensAtNanos() != Long.MAX_VALUE && !flow.isOver();
        if (flow.window.opensAtNanos() <= now) {
          update(flow, now);
        }
      }
      if (waits) {
        startTurning();
      }
    }
  }
}
