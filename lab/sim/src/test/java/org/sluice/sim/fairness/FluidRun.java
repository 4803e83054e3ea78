// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.Engine;
import org.sluice.engine.EngineParameters;
import org.sluice.engine.control.DecisionSink;
import org.sluice.engine.control.NoticeDraft;
import org.sluice.engine.control.PortAuthority;
import org.sluice.engine.journal.Journal;
import org.sluice.engine.marks.Signals;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.PathOracle;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Port;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.transport.Flow;

/**
 * The engine as it is, beside {@link IdealHosts}: what comes of its decisions alone. Hosts report
 * every 10 ms; full ports report marks themselves, so that whose marks these are is irrelevant.
 */
final class FluidRun implements PathOracle, DecisionSink {
  private static final long REPORT_NANOS = 10_000_000L;

  /** Idle pairs count for 200 ms, demands for 50 ms; ports follow each other every 20 ms. */
  private static final int REPORTS_OF_PHASE = 150;

  private static final int PACKET_BYTES = 1500;
  private static final int MARKED_OF_PACKETS = 10;

  private final CaseNetwork network;
  private final IdealHosts hosts;
  private final Addresses addresses;
  private final Engine engine;
  private final Map<PortId, Port> portOf = new HashMap<>();
  private final Map<EndpointId, Integer> endpointOf = new HashMap<>();
  private final Map<EndpointId, Map<IpAddress, Path>> paths = new HashMap<>();

  /** Bits that make no whole byte yet. */
  private final Map<Flow, Double> unreported = new LinkedHashMap<>();

  private long now = 1;

  FluidRun(FairnessCase drawn) {
    network = FluidNetwork.of(drawn);
    hosts = new IdealHosts(network);
    addresses = new Addresses(network.network);
    EngineParameters parameters = EngineParameters.DEFAULTS.withSignals(Signals.AUTO);
    engine = new Engine(this, PortAuthority.ALL, this, new Journal(), parameters);
    for (Port port : hosts.ports()) {
      portOf.put(id(port), port);
      engine.putPort(id(port), port.rateBitsPerSecond(), CapacitySource.SWITCH);
    }
    network.network.endpoints().forEach(this::put);
    for (int i = 0; i < drawn.tenants().size(); i++) {
      put(drawn.tenants().get(i), TenantId.of("t" + i));
    }
  }

  private static PortId id(Port port) {
    return PortId.of(port.owner().name(), port.index());
  }

  private void put(Endpoint endpoint) {
    EndpointId id = addresses.id(endpoint.number());
    engine.putHost(id.host(), endpoint.host().nic().rateBitsPerSecond());
    int row = network.endpoints.indexOf(endpoint);
    EndpointProfile profile = EndpointProfile.of(id, TenantId.DEFAULT, 1, 0, 0, false);
    if (row >= 0) {
      EndpointPlan plan = network.drawn.endpoints().get(row);
      profile =
          EndpointProfile.of(
              id,
              TenantId.of("t" + plan.tenant()),
              plan.weight(),
              bits(plan.guaranteeMegabits()),
              bits(network.drawn.ceilingAtHost(plan)),
              false);
      endpointOf.put(id, row);
      Map<IpAddress, Path> own = new HashMap<>();
      for (Flow flow : network.flows.get(row)) {
        List<Path.Hop> hops = new ArrayList<>();
        network.path(flow).forEach(port -> hops.add(Path.Hop.of(id(port))));
        own.put(addresses.ip(flow.destination().number()), Path.of(hops, false));
        unreported.put(flow, 0.0);
      }
      paths.put(id, own);
    }
    engine.putEndpoint(profile, Set.of(addresses.ip(endpoint.number())));
  }

  private void put(TenantPlan plan, TenantId id) {
    if (plan.isShared()) {
      try {
        engine.shareTenant(
            Tenant.builder(id)
                .weight(plan.weight())
                .guaranteeBitsPerSecond(bits(plan.guaranteeMegabits()))
                .ceilingBitsPerSecond(bits(plan.ceilingMegabits()))
                .build());
      } catch (SluiceException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static long bits(double megabits) {
    return Math.round(megabits * 1e6);
  }

  // ---------------------------------------------------------------- running

  /** What each endpoint gets in each phase when that has lasted for a while, beside its due. */
  List<Outcome> run() {
    List<Outcome> outcomes = new ArrayList<>();
    for (int phase = 0; phase < FairnessCase.PHASES; phase++) {
      if (phase == 0 || network.drawn.isAnyoneIntermittent()) {
        hosts.setPhase(phase);
        for (int i = 0; i < REPORTS_OF_PHASE; i++) {
          turn();
        }
        Outcome outcome = outcome(phase);
        if (!outcome.all().isEmpty()) {
          outcomes.add(outcome);
        }
      }
    }
    return outcomes;
  }

  private void turn() {
    hosts.settle();
    report();
    for (int tick = 0; tick < 2; tick++) {
      now += REPORT_NANOS / 2;
      engine.tick(now, now / 1_000_000);
    }
  }

  private void report() {
    Map<HostId, List<PairSample>> samples = new LinkedHashMap<>();
    Map<Port, Long> packets = new LinkedHashMap<>();
    unreported.replaceAll(
        (flow, before) -> {
          double bits = before + hosts.rate(flow) * REPORT_NANOS / 1e9;
          long bytes = (long) (bits / 8);
          if (bytes > 0) {
            sample(flow, bytes, samples);
            long count = bytes / PACKET_BYTES + 1;
            network.path(flow).forEach(port -> packets.merge(port, count, Long::sum));
          }
          return bits - bytes * 8;
        });
    samples.forEach(
        (host, pairs) ->
            engine.observe(HostObservation.of(host, now, REPORT_NANOS, pairs, List.of())));
    List<PortQueueSample> queues = new ArrayList<>();
    packets.forEach(
        (port, count) -> {
          long marks = hosts.isFull(port) ? count / MARKED_OF_PACKETS + 1 : 0;
          queues.add(PortQueueSample.of(id(port), count, 0, marks, marks, 0, 0, 0));
        });
    engine.observe(PortQueueObservation.of(HostId.of("queues"), now, REPORT_NANOS, queues));
  }

  private void sample(Flow flow, long bytes, Map<HostId, List<PairSample>> samples) {
    IpAddress from = addresses.ip(flow.source().number());
    IpAddress to = addresses.ip(flow.destination().number());
    long packets = bytes / PACKET_BYTES + 1;
    samples
        .computeIfAbsent(host(flow.source()), none -> new ArrayList<>())
        .add(PairSample.of(from, to, packets, bytes, 0, 0, 0));
    samples
        .computeIfAbsent(host(flow.destination()), none -> new ArrayList<>())
        .add(PairSample.of(from, to, 0, 0, packets, bytes, 0));
  }

  private static HostId host(Endpoint endpoint) {
    return HostId.of(endpoint.host().name());
  }

  private Outcome outcome(int phase) {
    Map<Flow, Double> due = network.due(plan -> plan.sendsIn(phase), Map.of());
    return Outcome.of(network, phase, due, flow -> hosts.rate(flow) / 1e6);
  }

  // ---------------------------------------------------------------- the engine's surroundings

  @Override
  public long epoch() {
    return 0;
  }

  @Override
  public Optional<Path> path(EndpointId source, IpAddress destination) {
    return Optional.ofNullable(paths.getOrDefault(source, Map.of()).get(destination));
  }

  @Override
  public void unitShare(HostId host, UnitShare share) {
    for (ControlledEndpoint each : share.endpoints()) {
      int endpoint = endpointOf.get(each.endpoint());
      double weight =
          each.weight() == ControlledEndpoint.PROFILE_WEIGHT
              ? network.drawn.endpoints().get(endpoint).weight()
              : each.weight();
      hosts.publish(
          portOf.get(share.port()),
          endpoint,
          share.expired()
              ? null
              : new IdealHosts.Limit(weight, each.floorBitsPerSecond().orElse(0)));
    }
  }

  @Override
  public void notice(HostId host, NoticeDraft notice) {
    // All receivers report.
  }

  @Override
  public void ceiling(EndpointId endpoint, long bitsPerSecond) {
    // The reference holds a ceiling at each port by itself, and so do these hosts.
  }
}
