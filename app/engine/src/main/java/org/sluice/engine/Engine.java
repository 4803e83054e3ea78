// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.Law;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.engine.collections.IntList;
import org.sluice.engine.control.ControlledPort;
import org.sluice.engine.control.ControlledPorts;
import org.sluice.engine.control.ControlledPorts.EndReason;
import org.sluice.engine.control.DecisionSink;
import org.sluice.engine.control.EndpointShare;
import org.sluice.engine.control.EndpointShares;
import org.sluice.engine.control.FloorSink;
import org.sluice.engine.control.NoticeSender;
import org.sluice.engine.control.PortAuthority;
import org.sluice.engine.control.PortUse;
import org.sluice.engine.control.PublishedEndpoints;
import org.sluice.engine.control.ScaledFloors;
import org.sluice.engine.control.SharePublisher;
import org.sluice.engine.control.TenantCeilings;
import org.sluice.engine.journal.DecisionLog;
import org.sluice.engine.journal.Journal;
import org.sluice.engine.marks.Attribution;
import org.sluice.engine.marks.MarkReports;
import org.sluice.engine.marks.MarkSources;
import org.sluice.engine.path.PathOracle;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.EngineStatistics;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.EngineClock;
import org.sluice.engine.traffic.DeliveredTraffic;
import org.sluice.engine.traffic.EndpointInventory;
import org.sluice.engine.traffic.ObservationIntake;
import org.sluice.engine.traffic.PairLifecycle;

/**
 * Turns what hosts, switches and port agents observe into decisions. Not thread-safe: one thread
 * calls all of it.
 *
 * <p>Drive it so: put hosts, endpoints and ports as they come, hand in observations as they arrive,
 * and call {@link #tick} every T_i. Decisions reach the {@link DecisionSink} within tick.
 */
public final class Engine {
  final EngineState state = new EngineState();
  private final EngineClock clock = new EngineClock();
  private final MarkReports reports = new MarkReports(state);
  private final MarkSources sources;
  private final DecisionLog log;
  private final PairLifecycle lifecycle;
  private final EndpointInventory inventory;
  private final ObservationIntake intake;
  private final Attribution attribution;
  private final ControlledPorts control;
  private final SharePublisher shares;
  private final NoticeSender notices;
  private final TenantCeilings ceilings;
  private final EndpointShares endpointShares;
  private EngineParameters parameters;
  private EngineParameters wanted;

  /**
   * An engine without hosts, endpoints and ports.
   *
   * @param journal takes what was decided; others may write into it too
   */
  public Engine(
      PathOracle paths,
      PortAuthority authority,
      DecisionSink sink,
      Journal journal,
      EngineParameters parameters) {
    this.parameters = Objects.requireNonNull(parameters, "parameters");
    this.wanted = parameters;
    Objects.requireNonNull(sink, "sink");
    this.sources = new MarkSources(state, reports);
    this.log = new DecisionLog(state, sources, journal);
    this.lifecycle = new PairLifecycle(state, paths, log);
    followParameters();
    this.inventory = new EndpointInventory(state, lifecycle, log);
    this.intake = new ObservationIntake(state, lifecycle, log);
    this.attribution = new Attribution(state, sources);
    this.control = new ControlledPorts(state, authority);
    PublishedEndpoints endpoints = new PublishedEndpoints(state);
    this.shares = new SharePublisher(state, sink, endpoints);
    this.notices = new NoticeSender(state, sink, endpoints);
    this.ceilings = new TenantCeilings(state, sink, shares.reservations());
    this.endpointShares = new EndpointShares(state, control, shares);
  }

  /** Takes effect at the next tick. A change of law ends all control under the old one. */
  public void setParameters(EngineParameters value) {
    wanted = Objects.requireNonNull(value, "parameters");
  }

  /**
   * Makes a host and the capacity of its NIC known, or changes it.
   *
   * @param uplinkCapacityBitsPerSecond above 0
   * @throws IllegalArgumentException if the capacity is not above 0
   */
  public void putHost(HostId host, long uplinkCapacityBitsPerSecond) {
    inventory.putHost(host, uplinkCapacityBitsPerSecond);
  }

  /**
   * Makes an endpoint known, or changes its profile or addresses. An address that another endpoint
   * holds stays with that one until it gives it up; this is journaled. Cheap if nothing changed.
   *
   * @throws IllegalArgumentException if the weight is not above 0
   */
  public void putEndpoint(EndpointProfile profile, Set<IpAddress> ips) {
    inventory.putEndpoint(profile, ips);
  }

  /**
   * Has a tenant's endpoints share what the tenant is due: its weight, its guarantee and its
   * ceiling are all theirs together, and their own weights divide it. Cheap if nothing changed.
   */
  public void shareTenant(Tenant tenant) {
    inventory.shareTenant(tenant);
  }

  /** Has each endpoint of a tenant be due what its own profile says; so it is at first. */
  public void divideTenant(TenantId tenant) {
    inventory.divideTenant(tenant);
  }

  /** Forgets an endpoint; nothing happens if it is not known. */
  public void removeEndpoint(EndpointId endpoint) {
    int row = state.endpoints.find(endpoint);
    if (row >= 0) {
      ceilings.forget(row);
    }
    inventory.removeEndpoint(endpoint);
  }

  /** The endpoint that holds an address: the first that claimed it. */
  public Optional<EndpointId> holderOf(IpAddress ip) {
    return inventory.holderOf(ip);
  }

  /**
   * Makes a port known, or changes its capacity. A port that only paths name takes part in nothing.
   *
   * @param capacityBitsPerSecond above 0
   * @throws IllegalArgumentException if the capacity is not above 0
   */
  public void putPort(
      PortId port, long capacityBitsPerSecond, PortStatus.CapacitySource capacitySource) {
    Objects.requireNonNull(capacitySource, "capacitySource");
    if (capacityBitsPerSecond <= 0) {
      throw new IllegalArgumentException(
          "port " + port + " needs a capacity above 0 bit/s, not " + capacityBitsPerSecond);
    }
    state.ports.setCapacity(state.ports.findOrAdd(port), capacityBitsPerSecond, capacitySource);
  }

  /** Forgets a port; its control, if any, ends at the next tick. */
  public void removePort(PortId port) {
    int row = state.ports.find(port);
    if (row >= 0) {
      state.ports.setCapacity(row, 0, PortStatus.CapacitySource.SWITCH);
    }
  }

  /**
   * Makes known which ports are wired to which: each port that leads to another switch, and the
   * port by which its packets enter there. Replaces what was known.
   */
  public void setLinks(Map<PortId, PortId> peers) {
    state.links.set(peers);
    reports.followPorts();
  }

  /**
   * Makes known which meters count CE packets. Replaces what was known; cheap if nothing changed.
   *
   * @param inPortsByMeter by switch: number of a meter to the port whose marked packets it counts
   */
  public void setMarkMeters(Map<String, Map<Long, Long>> inPortsByMeter) {
    reports.meters.set(inPortsByMeter);
  }

  /**
   * Takes in what a mark meter counted, as of the last tick.
   *
   * @param receivedNanos when it came, on the clock of {@link #tick}; one that has waited for 200
   *     ms is counted and dropped
   */
  public void observe(MeterSample sample, long receivedNanos) {
    if (isFresh(receivedNanos)) {
      reports.meters.take(sample, clock.now());
    }
  }

  /** Takes in what a switch counted at a port; as for meters. */
  public void observe(PortSample sample, long receivedNanos) {
    if (isFresh(receivedNanos)) {
      reports.rates.take(sample, clock.now());
    }
  }

  /** Takes in what port agents saw of their queues; as for meters. */
  public void observe(PortQueueObservation observation) {
    if (isFresh(observation.receivedNanos())) {
      reports.queues.take(observation, clock.now());
    }
  }

  private boolean isFresh(long receivedNanos) {
    if (clock.age(receivedNanos) <= ObservationIntake.MAX_AGE_NANOS) {
      return true;
    }
    state.counters.increment(Figure.COUNTER_SAMPLES_REFUSED);
    return false;
  }

  /**
   * Takes in what a host saw, as of the last tick. Samples that make no sense are counted and
   * dropped, and so is an observation that has waited for 200 ms.
   */
  public void observe(HostObservation observation) {
    intake.take(
        observation,
        clock.now(),
        clock.age(observation.receivedNanos()),
        parameters.controlPeriodNanos());
  }

  /**
   * Ends a control period: attributes marks, decides, and hands decisions to the sink.
   *
   * @param nowNanos a monotonic clock, ns; any origin, the one of {@link
   *     HostObservation#receivedNanos}
   * @param wallClockMillis the time of day for the journal, ms since the epoch
   */
  public void tick(long nowNanos, long wallClockMillis) {
    long before = clock.now();
    if (!clock.advance(nowNanos, wanted.controlPeriodNanos())) {
      state.counters.increment(Figure.CLOCK_STEPS);
    }
    state.now = clock.now();
    log.tick(wallClockMillis);
    if (wanted.law() != parameters.law()) {
      endAll(EndReason.LAW_CHANGED);
    }
    parameters = wanted;
    followParameters();
    lifecycle.tick(clock.now(), parameters.controlPeriodNanos());
    state.passed.tick(nowNanos);
    control.followAuthority();
    attribution.begin();
    sources.tick(clock.now(), Math.max(1, clock.now() - before), parameters.signals());
    attribution.tick(parameters.controlPeriodNanos(), !parameters.noticesAlone());
    sources.closePeriod(parameters.controlPeriodNanos());
    reportSourceChanges();
    takeControl();
    act();
    endControl();
    ceilings.tick(clock.now());
    state.counters.set(Figure.CONTROLLED_PORTS, control.all().size());
  }

  private void followParameters() {
    lifecycle.setFollowsPauses(parameters.law() == Law.SLUICE);
    log.setParameters(parameters.law(), parameters.split(), parameters.controlPeriodNanos());
  }

  private void reportSourceChanges() {
    IntList changed = sources.changed();
    for (int i = 0; i < changed.size(); i++) {
      ControlledPort controlled = control.find(changed.get(i));
      if (controlled != null) {
        log.markSource(controlled, sources.source(controlled.port));
      }
    }
  }

  private void takeControl() {
    IntList marked = attribution.markedPorts();
    for (int i = 0; i < marked.size(); i++) {
      int port = marked.get(i);
      if (control.mayDecide(port)) {
        control.marked(port, state.ports.estimatedMarks[port], clock.now());
      }
    }
    if (parameters.law() == Law.SLUICE) {
      control.takeLoaded(clock.now());
    }
  }

  /** Lets the law decide about every port under control. */
  private void act() {
    List<ControlledPort> all = control.all();
    for (int i = 0; i < all.size(); i++) {
      ControlledPort controlled = all.get(i);
      if (control.mayDecide(controlled.port)) {
        boolean first = controlled.start();
        if (parameters.law() == Law.SLUICE) {
          actBySharing(controlled, first);
        } else {
          actByNotices(controlled, first);
        }
      }
    }
  }

  private void actBySharing(ControlledPort controlled, boolean first) {
    shares.tick(controlled, clock.now());
    if (first) {
      log.controlStarted(controlled, clock.now());
    } else {
      log.unitShare(controlled, clock.now());
    }
    if (log.isFloorScalingNews(controlled, clock.now())) {
      log.floorScaling(controlled, shares.tenantsWithFloors(controlled.port), clock.now());
    }
    if (parameters.noticesAlone() || notices.hasUnreportedReceivers(controlled, clock.now())) {
      notifySources(controlled);
    }
  }

  /** Every T_i while the port marks, and once more when it does not any longer. */
  private void notifySources(ControlledPort controlled) {
    int port = controlled.port;
    if (sources.isCurrent(port, parameters.controlPeriodNanos())) {
      int notified =
          notices.notifyOfMarkedPart(
              controlled,
              state.ports.ceShare[port],
              sources.packetsPerSecond(port),
              !parameters.noticesAlone(),
              parameters.controlPeriodNanos(),
              clock.now());
      log.markedPartNotices(controlled, notified, clock.now());
    }
  }

  private void actByNotices(ControlledPort controlled, boolean first) {
    if (first) {
      log.controlStarted(controlled, clock.now());
    }
    if (state.ports.marks[controlled.port] > 0) {
      log.markNotices(
          controlled,
          notices.notifyOfMarks(
              controlled, parameters.split(), parameters.controlPeriodNanos(), clock.now()),
          clock.now());
    }
  }

  private void endControl() {
    List<ControlledPort> all = control.all();
    for (int i = all.size() - 1; i >= 0; i--) {
      EndReason reason = control.endReason(all.get(i), parameters.law() == Law.SLUICE, clock.now());
      if (reason != null) {
        end(i, reason);
      }
    }
  }

  private void endAll(EndReason reason) {
    for (int i = control.all().size() - 1; i >= 0; i--) {
      end(i, reason);
    }
  }

  private void end(int index, EndReason reason) {
    ControlledPort ended = control.all().get(index);
    if (reason == EndReason.AUTHORITY_LOST) {
      shares.leave(ended);
    } else {
      shares.end(ended);
    }
    log.controlEnded(ended, reason);
    control.end(index);
  }

  /**
   * Replaces what endpoints must be let through at ports beyond their guarantees.
   *
   * @param reserve calls back with each endpoint, port and rate, bit/s
   */
  public void reserve(Consumer<ReservationSink> reserve) {
    shares.reservations().open();
    reserve.accept(shares.reservations()::add);
    for (PortId changed : shares.reservations().close()) {
      int port = state.ports.find(changed);
      if (port >= 0) {
        state.ports.activityVersion[port]++;
      }
    }
  }

  /** Takes what an endpoint must be let through at a port. */
  public interface ReservationSink {
    void add(EndpointId endpoint, PortId port, double bitsPerSecond);
  }

  /** The marked part of what passed a port lately, 0 to 1. */
  public double markedPart(PortId id) {
    int port = state.ports.find(id);
    return port < 0 ? 0 : state.ports.ceShare[port];
  }

  /** Whether hosts hold what they send through a port to shares of it: Sluice's law controls it. */
  public boolean isShared(PortId id) {
    int port = state.ports.find(id);
    ControlledPort controlled = port < 0 ? null : control.find(port);
    return controlled != null && controlled.publishedShare() > 0;
  }

  /** What passes a port now, bit/s of whole frames, as laws go by it. */
  public long loadBitsPerSecond(PortId id) {
    int port = state.ports.find(id);
    return port < 0 ? 0 : state.ports.loadBitsPerSecond[port];
  }

  /** What guarantees of active endpoints amount to at a port, bit/s. */
  public double guaranteedBitsPerSecond(PortId id) {
    int port = state.ports.find(id);
    return port < 0 ? 0 : shares.guaranteedAt(port);
  }

  /**
   * Calls back with what each endpoint that is active through a port must be let through there, as
   * far as anything was promised. Makes new objects.
   */
  public void floors(PortId id, FloorSink sink) {
    int port = state.ports.find(id);
    if (port >= 0) {
      shares.floors(port, sink);
    }
  }

  /** Ports under control where floors are scaled down, by id. Makes new objects, as the next. */
  public List<ScaledFloors> scaledFloors() {
    List<ScaledFloors> result = new ArrayList<>();
    for (ControlledPort controlled : control.all()) {
      if (controlled.scalesFloors()) {
        int port = controlled.port;
        result.add(
            new ScaledFloors(
                state.ports.id[port],
                Math.round(controlled.totalFloor()),
                state.ports.capacityBitsPerSecond[port],
                shares.tenantsWithFloors(port)));
      }
    }
    result.sort(Comparator.comparing(ScaledFloors::port));
    return result;
  }

  /**
   * What an endpoint is due whatever others leave to it, and what it sends. A port counts while it
   * is under control here, by unit shares, and the endpoint sends through it. Makes a new object,
   * as the next.
   *
   * @return empty if the endpoint is not known
   */
  public Optional<EndpointShare> share(EndpointId endpoint) {
    int row = state.endpoints.find(endpoint);
    return row < 0
        ? Optional.empty()
        : Optional.of(endpointShares.of(row, parameters.law() == Law.SLUICE, clock.now()));
  }

  /**
   * The ports under control through which an endpoint sends, by id, and who else does. Makes new
   * objects, as the next.
   *
   * @return empty if the endpoint is not known, or sends through none
   */
  public List<PortUse> uses(EndpointId endpoint) {
    int row = state.endpoints.find(endpoint);
    return row < 0
        ? List.of()
        : endpointShares.uses(row, parameters.law() == Law.SLUICE, clock.now());
  }

  /** Whether such an endpoint sends through a port now. */
  public boolean isUsed(PortId port, Predicate<EndpointId> by) {
    int row = state.ports.find(port);
    return row >= 0 && endpointShares.isUsed(row, by);
  }

  /**
   * What such endpoints send through a port, as far as they may, bit/s. What leaves for receivers
   * without an agent is counted before the sender's host holds it.
   */
  public long passingBitsPerSecond(PortId port, Predicate<EndpointId> by) {
    int row = state.ports.find(port);
    return row < 0 ? 0 : endpointShares.passingBitsPerSecond(row, by);
  }

  /** What agents report to arrive of what an endpoint sends, bit/s; 0 if it is not known. */
  public long arrivingBitsPerSecond(EndpointId endpoint) {
    int row = state.endpoints.find(endpoint);
    return row < 0 ? 0 : endpointShares.arrivingBitsPerSecond(row);
  }

  /**
   * Ends a measurement of what passed, for those who look: due once a second. What follows gives
   * the rates of the last one, of a second that ended a little while before.
   */
  public void measure() {
    state.passed.measure();
  }

  /** What endpoints send, as far as the engine sees it: without what waits at their hosts. */
  public Map<EndpointId, EndpointTraffic> endpointTraffic() {
    BitSet heldBack = endpointShares.heldBack();
    Map<EndpointId, EndpointTraffic> result = new HashMap<>();
    for (int row = 0; row < state.endpoints.limit(); row++) {
      long delivered = state.passed.ofEndpoints.bitsPerSecond(row);
      if (state.endpoints.id[row] != null && (delivered > 0 || heldBack.get(row))) {
        result.put(state.endpoints.id[row], EndpointTraffic.of(delivered, 0, 0, heldBack.get(row)));
      }
    }
    return result;
  }

  /** What the pairs that an endpoint sends got through, bit/s; 0 if it is not known. */
  public long deliveredBitsPerSecond(EndpointId endpoint) {
    int row = state.endpoints.find(endpoint);
    return row < 0 ? 0 : state.passed.ofEndpoints.bitsPerSecond(row);
  }

  /**
   * What the pairs that a tenant's endpoints send got through, all of them together; only tenants
   * that have had an endpoint. Makes new objects, as the next.
   */
  public Map<TenantId, DeliveredTraffic> delivered() {
    Map<TenantId, DeliveredTraffic> result = new HashMap<>();
    for (int row = 0; row < state.tenants.size(); row++) {
      result.put(
          state.tenants.id[row],
          new DeliveredTraffic(
              state.passed.ofTenants.bytes(row), state.passed.ofTenants.bitsPerSecond(row)));
    }
    return result;
  }

  /**
   * Of how many samples of a host, since the start, the pairs were not taken in because there were
   * too many; only hosts with any. Makes new objects, as the next.
   */
  public Map<HostId, Long> refusedPairs() {
    Map<HostId, Long> result = new TreeMap<>();
    for (int row = 0; row < state.hosts.size(); row++) {
      if (state.hosts.refusedPairs[row] > 0) {
        result.put(state.hosts.id[row], state.hosts.refusedPairs[row]);
      }
    }
    return result;
  }

  /** The state of all known ports, by id. Makes new objects: for once a second, not every tick. */
  public List<PortStatus> portStatuses() {
    List<PortStatus> result = new ArrayList<>();
    PortTable ports = state.ports;
    for (int p = 0; p < ports.size(); p++) {
      if (ports.capacityBitsPerSecond[p] > 0) {
        result.add(status(p));
      }
    }
    result.sort(Comparator.comparing(PortStatus::id));
    return result;
  }

  private PortStatus status(int port) {
    PortTable ports = state.ports;
    ControlledPort controlled = control.find(port);
    PortStatus.Builder builder = PortStatus.builder(ports.id[port]);
    if (sources.source(port) != null) {
      builder.marksFrom(sources.source(port));
    }
    return builder
        .capacityBitsPerSecond(ports.capacityBitsPerSecond[port])
        .capacitySource(ports.capacitySource[port])
        .congested(controlled != null)
        .estimated(controlled != null && controlled.isEstimated())
        .ceShare(ports.ceShare[port])
        .loadBitsPerSecond(ports.passed.bitsPerSecond(port))
        .carriedBytes(ports.passed.bytes(port))
        .unitShareBitsPerSecond(controlled == null ? 0 : Math.round(controlled.publishedShare()))
        .activeEndpoints(ports.activeEndpoints[port])
        .activeWeight(controlled == null ? 0 : controlled.activeWeight(ports))
        .floorScale(controlled == null ? 1 : controlled.floorScale())
        .scaledTenants(
            controlled != null && controlled.scalesFloors()
                ? shares.tenantsWithFloors(port)
                : List.of())
        .build();
  }

  /** What the engine holds and has counted. */
  public EngineStatistics statistics() {
    return state.counters.snapshot();
  }
}
