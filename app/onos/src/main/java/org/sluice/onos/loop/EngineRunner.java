// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.loop;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.onosproject.mastership.MastershipService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkHandler;
import org.sluice.engine.Engine;
import org.sluice.engine.EngineParameters;
import org.sluice.engine.PortSnapshot;
import org.sluice.engine.law.SdnGccLaw;
import org.sluice.engine.marks.Signals;
import org.sluice.engine.path.Path;
import org.sluice.onos.counters.CounterFeed;
import org.sluice.onos.deadline.DeadlineDuty;
import org.sluice.onos.deadline.EngineSide;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.notice.NoticeService;
import org.sluice.onos.registry.Capacities;
import org.sluice.onos.registry.EndpointLocator;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.setting.Parameters;
import org.sluice.onos.setting.SettingService;
import org.sluice.onos.tenant.TenantDirectory;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.ForwardingState;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/**
 * Runs the engine on its one thread: every control period it takes in what changed and what hosts,
 * switches and port agents observed, lets the engine decide, and sends the decisions out.
 */
@Component(immediate = true, service = PortService.class)
public class EngineRunner implements PortService, UplinkHandler {
  private static final Logger log = LoggerFactory.getLogger(EngineRunner.class);

  /**
   * A thousand hosts that report every control period, and two thousand samples of switches, over
   * ten periods.
   */
  private static final int QUEUE_CAPACITY = 30_000;

  /** What begins within a little while is taken in together. */
  private static final long GATHERING_NANOS = TimeUnit.MICROSECONDS.toNanos(300);

  private static final long METERS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long SNAPSHOT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FAULT_LOG_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long STOP_MILLIS = 2000;

  @Reference SettingService settings;
  @Reference AgentLink link;
  @Reference NoticeService notices;
  @Reference ReportedEndpoints endpoints;
  @Reference EndpointLocator locator;
  @Reference TenantDirectory tenants;
  @Reference Capacities capacities;
  @Reference TopologyView topology;
  @Reference Attachments attachments;
  @Reference ForwardingState forwarding;
  @Reference MastershipService mastership;
  @Reference Chronicle chronicle;
  @Reference CounterFeed counters;
  @Reference DeadlineDuty deadlines;

  private final SampleQueue<Consumer<Engine>> samples = new SampleQueue<>(QUEUE_CAPACITY);
  private final CounterListener counterListener = new SwitchSamples();
  private final PortSnapshot snapshot = new PortSnapshot();
  private volatile boolean running;
  private final Queue<HostHello> hellos = new ConcurrentLinkedQueue<>();
  private Thread thread;
  private MasteredPorts authority;

  // The engine's thread alone:
  private Engine engine;
  private DecisionOutbox outbox;
  private Parameters parameters;
  private long endpointsEpoch = -1;
  private long tenantsEpoch = -1;
  private long capacitiesEpoch = -1;
  private Set<EndpointId> knownEndpoints = new HashSet<>();
  private Map<PortId, Capacities.Capacity> knownPorts = new HashMap<>();
  private long topologyEpoch = -1;
  private long nextMetersNanos = Long.MIN_VALUE;
  private long nextSnapshotNanos = Long.MIN_VALUE;
  private long nextFaultLogNanos = Long.MIN_VALUE;
  private long reportedDrops;

  @Activate
  void activate() {
    authority = new MasteredPorts(mastership);
    authority.start();
    outbox = new DecisionOutbox(link, notices, authority::term);
    parameters = settings.parameters();
    TopologyPaths paths = new TopologyPaths(topology, attachments, endpoints, locator, forwarding);
    engine =
        new Engine(paths, authority, outbox, chronicle.journal(), engineParameters(parameters));
    running = true;
    thread = new Thread(this::run, "sluice-engine");
    thread.setDaemon(true);
    deadlines.begin(new DeadlineSide(paths));
    thread.start();
    link.addListener(this);
    counters.addListener(counterListener);
  }

  @Deactivate
  void deactivate() throws InterruptedException {
    counters.removeListener(counterListener);
    link.removeListener(this);
    running = false;
    LockSupport.unpark(thread);
    thread.join(STOP_MILLIS);
    deadlines.end();
    authority.stop();
  }

  private void run() {
    long next = System.nanoTime();
    while (running) {
      long period = TimeUnit.MILLISECONDS.toNanos(parameters.controlPeriodMillis());
      next += period;
      long now = System.nanoTime();
      if (now - next > 10 * period) {
        next = now; // After a pause nothing is made up for: old samples say little.
      }
      while (running && (now = System.nanoTime()) < next) {
        if (deadlines.isUrgent()) {
          LockSupport.parkNanos(GATHERING_NANOS);
          stepDeadlines(System.nanoTime());
        } else {
          LockSupport.parkNanos(next - now);
        }
      }
      try {
        step(now);
      } catch (RuntimeException e) {
        logFault(now, e);
      }
    }
  }

  /** Connections begin between two control periods, and their handshakes wait. */
  private void stepDeadlines(long nowNanos) {
    try {
      deadlines.step(nowNanos);
    } catch (RuntimeException e) {
      logFault(nowNanos, e);
    }
  }

  /** One control period. */
  private void step(long nowNanos) {
    followSettings();
    followHosts();
    followEndpoints();
    followPorts();
    followLinks();
    followMeters(nowNanos);
    for (Consumer<Engine> sample : samples.drain()) {
      sample.accept(engine);
    }
    engine.tick(nowNanos, System.currentTimeMillis());
    deadlines.step(nowNanos);
    outbox.flush();
    if (nowNanos - nextSnapshotNanos >= 0 || nextSnapshotNanos == Long.MIN_VALUE) {
      nextSnapshotNanos = nowNanos + SNAPSHOT_NANOS;
      snapshot.update(engine.portStatuses());
      reportDrops();
    }
  }

  private void followSettings() {
    Parameters now = settings.parameters();
    if (!now.equals(parameters)) {
      parameters = now;
      engine.setParameters(engineParameters(now));
    }
  }

  private void followHosts() {
    for (HostHello hello = hellos.poll(); hello != null; hello = hellos.poll()) {
      if (hello.uplinkCapacityBitsPerSecond() > 0) {
        engine.putHost(hello.host(), hello.uplinkCapacityBitsPerSecond());
      }
    }
  }

  private void followEndpoints() {
    long endpointsNow = endpoints.epoch().get();
    long tenantsNow = tenants.epoch().get();
    if (endpointsNow == endpointsEpoch && tenantsNow == tenantsEpoch) {
      return;
    }
    endpointsEpoch = endpointsNow;
    tenantsEpoch = tenantsNow;
    List<ReportedEndpoint> all = endpoints.reported();
    PolicyBook policies = new PolicyBook(all, tenants);
    Set<EndpointId> now = new HashSet<>();
    all.forEach(endpoint -> now.add(endpoint.id()));
    // Those that are gone give up their addresses before others claim them.
    knownEndpoints.stream().filter(id -> !now.contains(id)).forEach(engine::removeEndpoint);
    all.forEach(endpoint -> engine.putEndpoint(policies.policy(endpoint.id()), endpoint.ips()));
    knownEndpoints = now;
  }

  private void followPorts() {
    long epochNow = capacities.epoch().get();
    if (epochNow == capacitiesEpoch) {
      return;
    }
    capacitiesEpoch = epochNow;
    Map<PortId, Capacities.Capacity> now = capacities.all();
    knownPorts.keySet().stream().filter(id -> !now.containsKey(id)).forEach(engine::removePort);
    now.forEach(
        (port, capacity) -> {
          if (!capacity.equals(knownPorts.get(port))) {
            engine.putPort(port, capacity.bitsPerSecond(), capacity.source());
          }
        });
    knownPorts = now;
  }

  private void followLinks() {
    long epochNow = topology.epoch().get();
    if (epochNow != topologyEpoch) {
      topologyEpoch = epochNow;
      Map<PortId, PortId> peers = new HashMap<>();
      topology.peers().forEach((from, to) -> peers.put(OnosTypes.port(from), OnosTypes.port(to)));
      engine.setLinks(peers);
    }
  }

  /** Meters come and go without an event. */
  private void followMeters(long nowNanos) {
    if (nextMetersNanos == Long.MIN_VALUE || nowNanos - nextMetersNanos >= 0) {
      nextMetersNanos = nowNanos + METERS_NANOS;
      engine.setMarkMeters(counters.markMeters());
    }
  }

  private void reportDrops() {
    long drops = samples.dropped();
    if (drops > reportedDrops) {
      log.warn(
          "The engine could not keep up: {} samples dropped, {} in all",
          drops - reportedDrops,
          drops);
      reportedDrops = drops;
    }
  }

  private void logFault(long nowNanos, RuntimeException fault) {
    if (nextFaultLogNanos == Long.MIN_VALUE || nowNanos - nextFaultLogNanos >= 0) {
      nextFaultLogNanos = nowNanos + FAULT_LOG_NANOS;
      log.error("A control period failed; the next one starts as usual", fault);
    }
  }

  private static EngineParameters engineParameters(Parameters parameters) {
    return EngineParameters.DEFAULTS
        .withLaw(parameters.law() == Parameters.Law.SLUICE ? Law.SLUICE : Law.SDN_GCC)
        .withSplit(
            parameters.split() == Parameters.Split.PROPORTIONAL
                ? SdnGccLaw.Split.PROPORTIONAL
                : SdnGccLaw.Split.EQUAL)
        .withSignals(Signals.valueOf(parameters.signals().name()))
        .withControlPeriodNanos(TimeUnit.MILLISECONDS.toNanos(parameters.controlPeriodMillis()));
  }

  @Override
  public List<PortStatus> ports() {
    return snapshot.ports();
  }

  @Override
  public Optional<PortStatus> port(PortId id) {
    return snapshot.port(id);
  }

  /** What deadlines see of the engine's thread. */
  private final class DeadlineSide implements EngineSide {
    private final TopologyPaths paths;

    private DeadlineSide(TopologyPaths paths) {
      this.paths = paths;
    }

    @Override
    public Engine engine() {
      return engine;
    }

    @Override
    public Optional<Path> path(EndpointId source, IpAddress destination) {
      return paths.path(source, destination);
    }

    @Override
    public long waysEpoch() {
      return paths.epoch();
    }

    @Override
    public long authorityEpoch() {
      return authority.epoch();
    }

    @Override
    public boolean decidesAbout(PortId port) {
      return authority.decidesAbout(port);
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }
  }

  /** Samples of switches bear the switch's clock: when they came is noted here. */
  private final class SwitchSamples implements CounterListener {
    @Override
    public void portRead(PortSample sample) {
      long received = System.nanoTime();
      samples.add(engine -> engine.observe(sample, received));
    }

    @Override
    public void meterRead(MeterSample sample) {
      long received = System.nanoTime();
      samples.add(engine -> engine.observe(sample, received));
    }
  }

  @Override
  public void sessionOpened(HostHello hello) {
    hellos.add(hello);
  }

  @Override
  public void observed(HostObservation observation) {
    samples.add(engine -> engine.observe(observation));
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    samples.add(engine -> engine.observe(observation));
  }
}
