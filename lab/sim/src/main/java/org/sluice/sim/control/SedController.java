// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;
import org.sluice.api.link.WindowGrant;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.GrantSink;
import org.sluice.engine.deadline.LossAnswers;
import org.sluice.engine.deadline.LossSink;
import org.sluice.engine.deadline.Registration;
import org.sluice.engine.path.Path;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.host.Addresses;

/** The controller of SED: the engine's GIF table, windows and admission, over control channels. */
final class SedController implements GrantSink, LossSink {
  private static final long GATHERING_NANOS = 100_000;

  private final Network network;
  private final Addresses addresses;
  private final NetworkPaths paths;
  private final SedParameters parameters;
  private final Deadlines deadlines;
  private final LossAnswers losses;
  private final Map<Endpoint, SedLink> links = new HashMap<>();
  private final Map<PortId, LongConsumer> buffers = new HashMap<>();
  private final Event tick = new Tick();
  private final Event lossTick = new LossTick();
  private final Set<FlowKey> promised = new HashSet<>();

  SedController(Network network, Addresses addresses, SedParameters parameters) {
    this.network = network;
    this.addresses = addresses;
    this.parameters = parameters;
    this.paths = new NetworkPaths(network, addresses);
    this.deadlines = new Deadlines(this, parameters.engine());
    this.losses = new LossAnswers(deadlines, this);
    for (Switch s : network.switches()) {
      for (Port port : s.ports()) {
        deadlines.putPort(
            paths.id(port),
            port.rateBitsPerSecond() / 8.0 * parameters.payloadFraction(),
            parameters.thresholdBytes(),
            parameters.roundTripNanos());
      }
    }
  }

  void add(Endpoint endpoint, SedLink link) {
    links.put(endpoint, link);
  }

  PortId id(Port port) {
    return paths.id(port);
  }

  /** Adds the buffer of a port's dropped packets, which sends them again by their names. */
  void add(PortId port, LongConsumer buffer) {
    buffers.put(port, buffer);
  }

  /** A port's queue has dropped a packet. */
  void lost(Loss loss) {
    losses.lost(loss, now());
    if (!lossTick.isArmed()) {
      network.scheduler().armIn(lossTick, GATHERING_NANOS);
    }
  }

  long losses() {
    return losses.losses();
  }

  @Override
  public void answer(LossAnswer answer) {
    links.get(addresses.endpoint(answer.flow().source())).send(answer);
  }

  @Override
  public void resend(Resend resend) {
    buffers.get(resend.port()).accept(resend.kept());
  }

  /**
   * A deadline request: the flow is registered even if refused, as the scenario sends it anyway.
   */
  void register(FlowKey flow, long sizeBytes, long deadlineNanos) {
    long now = now();
    if (deadlineNanos <= now) {
      return;
    }
    Registration made =
        deadlines.register(flow, sizeBytes, deadlineNanos, path(flow), 0, true, now);
    if (made.admission().isAccepted()) {
      promised.add(flow);
    }
    tickSoon();
  }

  void opened(FlowKey connection) {
    deadlines.opened(connection, path(connection), 0, now());
    tickSoon();
  }

  void progressed(FlowKey connection, long deliveredBytes, long roundTripNanos) {
    deadlines.progressed(connection, deliveredBytes, roundTripNanos, now());
    losses.acknowledged(connection, deliveredBytes & 0xFFFFFFFFL); // Sequences begin at 0 here.
  }

  void closed(FlowKey connection, long deliveredBytes) {
    deadlines.progressed(connection, deliveredBytes, 0, now());
    deadlines.closed(connection, now());
    tickSoon();
  }

  void queue(PortId port, long backlogBytes) {
    boolean before = deadlines.isCongested(port);
    deadlines.queue(port, backlogBytes, now());
    if (!before && deadlines.isCongested(port)) {
      tickSoon();
    }
  }

  /** What arrives within a little while is decided together: connections seldom begin alone. */
  private void tickSoon() {
    if (!tick.isArmed() || tick.dueNanos() > now() + GATHERING_NANOS) {
      network.scheduler().disarm(tick);
      network.scheduler().armIn(tick, GATHERING_NANOS);
    }
  }

  @Override
  public void grant(WindowGrant grant) {
    links.get(addresses.endpoint(grant.flow().source())).send(grant);
  }

  private List<PortId> path(FlowKey flow) {
    Endpoint source = addresses.endpoint(flow.source());
    return paths
        .path(addresses.id(source.number()), flow.destination())
        .map(path -> path.hops().stream().map(Path.Hop::port).collect(Collectors.toList()))
        .orElse(List.of());
  }

  private long now() {
    return network.scheduler().now();
  }

  /** Whether the deadline of a flow was promised. */
  boolean isPromised(FlowKey flow) {
    return promised.contains(flow);
  }

  private final class Tick extends Event {
    @Override
    protected void fire() {
      deadlines.tick(now());
      network.scheduler().armIn(this, parameters.periodNanos());
    }
  }

  /** Every round trip, while losses wait for their answers. */
  private final class LossTick extends Event {
    @Override
    protected void fire() {
      losses.tick(now());
      if (losses.waiting() > 0) {
        network.scheduler().armIn(this, parameters.roundTripNanos());
      }
    }
  }
}
