// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.AgentLinkListener;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.Resend;
import org.sluice.api.link.UnitShare;
import org.sluice.core.deadline.DeadlineContext;
import org.sluice.core.deadline.DeadlineLoop;
import org.sluice.core.deadline.SingleNodeDeadlines;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.runtime.Clock;
import org.sluice.core.setting.Setting;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.engine.Engine;
import org.sluice.engine.EngineParameters;
import org.sluice.engine.control.DecisionSink;
import org.sluice.engine.control.NoticeDraft;
import org.sluice.engine.control.PortAuthority;
import org.sluice.engine.journal.Journal;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.host.Addresses;

/** The controller's deadline loop, over control channels, by the simulation's clock. */
final class SedController {
  private static final long GATHERING_NANOS = 100_000;
  private static final long TERM = 1;
  private static final String AGENT_VERSION = "simulated";

  private final Network network;
  private final NetworkPaths paths;
  private final SedParameters parameters;
  private final SedRegistry registry;
  private final SingleNodeDeadlines deadlines;
  private final DeadlineLoop loop;
  private final Map<HostId, SedLink> links = new HashMap<>();
  private final Map<PortId, LongConsumer> buffers = new HashMap<>();
  private final Event tick = new Tick();
  private final Event lossTick = new LossTick();
  private final Set<FlowKey> promised = new HashSet<>();

  SedController(Network network, Addresses addresses, SedParameters parameters) {
    this.network = network;
    this.parameters = parameters;
    this.paths = new NetworkPaths(network, addresses);
    this.registry = new SedRegistry(network, addresses, paths);
    DeadlineContext context =
        new DeadlineContext(
            engine(),
            paths,
            PortAuthority.ALL,
            new Link(),
            registry,
            registry,
            registry,
            new SedPorts(parameters),
            (port, frame) -> {}, // Ports send again what they keep.
            TERM);
    Settings settings = settings();
    deadlines = new SingleNodeDeadlines(context, settings, new NoJournal(), new SimulatedClock());
    loop = deadlines.loop();
    loop.follow(now());
  }

  /** The paper's SED stands alone: this engine has no endpoint and decides nothing. */
  private Engine engine() {
    Engine engine =
        new Engine(
            paths, PortAuthority.ALL, new NoDecisions(), new Journal(), EngineParameters.DEFAULTS);
    for (Switch s : network.switches()) {
      for (Port port : s.ports()) {
        engine.putPort(paths.id(port), port.rateBitsPerSecond(), PortStatus.CapacitySource.SWITCH);
      }
    }
    return engine;
  }

  private Settings settings() {
    Map<String, String> texts = new HashMap<>();
    put(texts, SettingTable.DEADLINES, SettingTable.Deadlines.WITHIN_SHARE);
    put(texts, SettingTable.WINDOWS, parameters.windows());
    put(texts, SettingTable.EXPIRED, parameters.expired());
    put(texts, SettingTable.LOSS_ANSWERS, parameters.settings().answersLosses());
    int period = (int) Math.max(1, Math.round(parameters.periodNanos() / 1e6));
    put(texts, SettingTable.CONTROL_PERIOD_MILLIS, period);
    Settings settings =
        new Settings(
            refusal -> {
              throw new IllegalArgumentException(refusal);
            });
    settings.read(texts::get);
    return settings;
  }

  private static <T> void put(Map<String, String> texts, Setting<T> setting, T value) {
    texts.put(setting.name(), setting.write(value));
  }

  /** The agent of a host opens its session. */
  void connect(Host host, SedLink link) {
    HostId id = HostId.of(host.name());
    links.put(id, link);
    deadlines.connected(
        HostHello.of(
            id,
            AGENT_VERSION,
            "nic",
            MacAddress.of(new byte[6]),
            host.nic().rateBitsPerSecond(),
            registry.reported(host),
            List.of()));
  }

  PortId id(Port port) {
    return paths.id(port);
  }

  /** Adds the buffer of a port's dropped packets, which sends them again by their names. */
  void add(PortId port, LongConsumer buffer) {
    buffers.put(port, buffer);
  }

  /** Queues of a switch have dropped packets. */
  void lost(LossReport report) {
    loop.lost(report, now());
    if (loop.hasUnansweredLosses() && !lossTick.isArmed()) {
      network.scheduler().armIn(lossTick, GATHERING_NANOS);
    }
  }

  long losses() {
    return loop.losses();
  }

  /**
   * A deadline request: the flow is registered even if refused, as the scenario sends it anyway.
   *
   * @param beginsNanos when its connection does
   */
  void register(FlowKey flow, long sizeBytes, long beginsNanos, long deadlineNanos) {
    try {
      DeadlineRequest request =
          DeadlineRequest.of(flow, sizeBytes, deadlineNanos - now(), true)
              .beginningIn(Math.max(0, beginsNanos - now()));
      if (deadlines.register(request).admission().isAccepted()) {
        promised.add(flow);
      }
      tickSoon();
    } catch (SluiceException e) {
      return; // It came too late, or the flow is registered already.
    }
  }

  void reported(FlowReport report) {
    loop.reported(report, now());
    if (report.flows().stream().anyMatch(flow -> flow.state() != FlowUpdate.State.ESTABLISHED)) {
      tickSoon();
    }
  }

  /** A switch's agent reports its queues. */
  void queued(PortQueueObservation observation) {
    boolean before = isAnyCongested(observation);
    loop.queued(observation, now());
    if (!before && isAnyCongested(observation)) {
      tickSoon();
    }
  }

  private boolean isAnyCongested(PortQueueObservation observation) {
    for (PortQueueSample sample : observation.ports()) {
      if (loop.isCongested(sample.port())) {
        return true;
      }
    }
    return false;
  }

  /** What arrives within a little while is decided together: connections seldom begin alone. */
  private void tickSoon() {
    if (!tick.isArmed() || tick.dueNanos() > now() + GATHERING_NANOS) {
      network.scheduler().disarm(tick);
      network.scheduler().armIn(tick, GATHERING_NANOS);
    }
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
      loop.step(now());
      network.scheduler().armIn(this, parameters.periodNanos());
    }
  }

  /** Every round trip, while losses wait for their answers. */
  private final class LossTick extends Event {
    @Override
    protected void fire() {
      loop.answerLosses(now());
      if (loop.hasUnansweredLosses()) {
        network.scheduler().armIn(this, parameters.roundTripNanos());
      }
    }
  }

  /** Takes messages to the control channels. What agents report comes from these as it is. */
  private final class Link implements AgentLink {
    @Override
    public Set<HostId> connectedHosts() {
      return Set.copyOf(links.keySet());
    }

    @Override
    public void send(HostId host, long term, DownlinkMessage message) {
      if (message.kind() == DownlinkMessage.Kind.RESENDS) {
        for (Resend resend : message.resends()) {
          buffers.get(resend.port()).accept(resend.kept());
        }
      } else {
        links.get(host).send(message);
      }
    }

    @Override
    public void addListener(AgentLinkListener listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void removeListener(AgentLinkListener listener) {
      throw new UnsupportedOperationException();
    }
  }

  private final class SimulatedClock implements Clock {
    @Override
    public long nanoTime() {
      return now();
    }

    @Override
    public long wallMicros() {
      return now() / 1000;
    }
  }

  /** Nobody reads the journal of a simulation. */
  private static final class NoJournal implements JournalWriter {
    @Override
    public void write(
        JournalEntry.Kind kind,
        Optional<TenantId> tenant,
        Optional<EndpointId> endpoint,
        String decision,
        String evidence) {
      // Not kept.
    }
  }

  /** An engine without endpoints decides nothing. */
  private static final class NoDecisions implements DecisionSink {
    @Override
    public void unitShare(HostId host, UnitShare share) {
      throw new IllegalStateException();
    }

    @Override
    public void notice(HostId host, NoticeDraft notice) {
      throw new IllegalStateException();
    }

    @Override
    public void ceiling(EndpointId endpoint, long bitsPerSecond) {
      throw new IllegalStateException();
    }
  }
}
