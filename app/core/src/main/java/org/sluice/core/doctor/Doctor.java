// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.DoctorService;
import org.sluice.api.EndpointService;
import org.sluice.api.Finding;
import org.sluice.api.HostDirectory;
import org.sluice.api.HostId;
import org.sluice.api.PortService;
import org.sluice.api.cluster.ClusterService;
import org.sluice.api.counters.CounterService;
import org.sluice.api.policy.PolicyService;
import org.sluice.core.link.LinkRunner;
import org.sluice.core.micro.UnenforcedCap;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.runtime.Execution;
import org.sluice.core.sampling.SampleLoss;
import org.sluice.core.sampling.SamplingRunner;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.silent.SilentEndpoint;
import org.sluice.core.spi.Platform;
import org.sluice.core.tenant.TenantStore;
import org.sluice.engine.control.ScaledFloors;

/** Gathers all conditions and makes all checks. */
public final class Doctor implements DoctorService {
  private static final Logger log = LoggerFactory.getLogger(Doctor.class);
  private static final long CHECK_SECONDS = 5;
  private static final List<Check> CHECKS =
      List.of(
          new ControllerCheck(),
          new ClusterCheck(),
          new SwitchCheck(),
          new CapacityCheck(),
          new FloorCheck(),
          new CapCheck(),
          new PolicyCheck(),
          new SamplingCheck(),
          new HostCheck(),
          new CertificateCheck(),
          new AddressCheck(),
          new TenantCheck());

  private final Settings settings;
  private final Platform platform;
  private final SwitchConditions switches;
  private final CounterService counters;
  private final PortService ports;
  private final Supplier<List<ScaledFloors>> scaledFloors;
  private final Supplier<List<UnenforcedCap>> unenforcedCaps;
  private final PolicyService policies;
  private final SamplingRunner sampling;
  private final HostDirectory hosts;
  private final TenantStore tenants;
  private final ReportedEndpoints reported;
  private final EndpointService endpoints;
  private final Supplier<List<SilentEndpoint>> silent;
  private final LinkRunner link;
  private final ClusterService cluster;
  private final LongSupplier clockAheadMicros;
  private final Execution execution;
  private final SymptomDebounce debounce = new SymptomDebounce();
  private final Supplier<Map<HostId, Long>> refusedPairs;
  private final RecentGrowth<HostId> refusals = new RecentGrowth<>();
  private final RecentGrowth<SampleLoss> sampleLosses = new RecentGrowth<>();
  private ScheduledExecutorService executor;

  public Doctor(
      Settings settings,
      Platform platform,
      Capacities capacities,
      CounterService counters,
      PortService ports,
      Supplier<List<ScaledFloors>> scaledFloors,
      Supplier<Map<HostId, Long>> refusedPairs,
      Supplier<List<UnenforcedCap>> unenforcedCaps,
      PolicyService policies,
      SamplingRunner sampling,
      HostDirectory hosts,
      TenantStore tenants,
      ReportedEndpoints reported,
      EndpointService endpoints,
      Supplier<List<SilentEndpoint>> silent,
      LinkRunner link,
      ClusterService cluster,
      LongSupplier clockAheadMicros,
      Execution execution) {
    this.settings = settings;
    this.platform = platform;
    this.switches = new SwitchConditions(platform, capacities);
    this.counters = counters;
    this.ports = ports;
    this.scaledFloors = scaledFloors;
    this.refusedPairs = refusedPairs;
    this.unenforcedCaps = unenforcedCaps;
    this.policies = policies;
    this.sampling = sampling;
    this.hosts = hosts;
    this.tenants = tenants;
    this.reported = reported;
    this.endpoints = endpoints;
    this.silent = silent;
    this.link = link;
    this.cluster = cluster;
    this.clockAheadMicros = clockAheadMicros;
    this.execution = execution;
  }

  public void start() {
    executor = execution.sequential("doctor");
    executor.scheduleWithFixedDelay(this::check, 0, CHECK_SECONDS, SECONDS);
  }

  public void stop() {
    executor.shutdownNow();
  }

  private void check() {
    try {
      refusals.seen(refusedPairs.get(), execution.clock().nanoTime());
      sampleLosses.seen(sampling.counts().lost(), execution.clock().nanoTime());
      debounce.seen(
          switches.symptoms(counters.switches(), settings.get(SettingTable.FAST_COUNTERS)),
          execution.clock().nanoTime());
    } catch (RuntimeException e) {
      log.error("Switches were not examined; retrying at the next examination", e);
    }
  }

  @Override
  public List<Finding> examine() {
    return findings(condition());
  }

  /** What is to be found in a condition, the worst first. */
  static List<Finding> findings(Condition condition) {
    List<Finding> findings = new ArrayList<>();
    CHECKS.forEach(check -> findings.addAll(check.examine(condition)));
    findings.sort(Comparator.comparing(Finding::severity));
    return findings;
  }

  private Condition condition() {
    Parameters parameters = settings.parameters();
    return Condition.builder()
        .refusedSettings(settings.refusals())
        .now(execution.clock().instant())
        .version(platform.applicationVersion())
        .platform(platform.diagnosis())
        .parameters(parameters)
        .unreadableFiles(unreadable(parameters))
        .accessFault(link.accessFault())
        .filesFault(link.filesFault())
        .certificateNotAfter(link.certificateNotAfter())
        .authorityNotAfter(link.authorityNotAfter())
        .cluster(cluster.status())
        .clockAheadMicros(clockAheadMicros.getAsLong())
        .switchesAwaited(!platform.reachesSwitches() || counters.listenPort().isPresent())
        .switches(switches.conditions(counters.switches()))
        .symptoms(debounce.lasting(execution.clock().nanoTime()))
        .ports(switches.ports())
        .portStatuses(ports.ports())
        .scaledFloors(scaledFloors.get())
        .unenforcedCaps(unenforcedCaps.get())
        .policyFault(policies.fault())
        .hostHints(policies.hosts())
        .samplingFault(sampling.fault())
        .sampleCounts(sampling.counts())
        .recentSampleLosses(sampleLosses.recent())
        .hosts(hosts.hosts())
        .refusedPairs(refusals.recent())
        .tenants(tenants.tenants())
        .endpoints(endpoints.endpoints())
        .silentEndpoints(silent.get())
        .refusedAddresses(reported.refused())
        .learnedStrangers(tenants.learnedStrangers())
        .build();
  }

  private static List<String> unreadable(Parameters parameters) {
    return Stream.of(
            SettingTable.AGENT_LINK_KEY,
            SettingTable.AGENT_LINK_CERTIFICATE,
            SettingTable.AGENT_LINK_TRUST)
        .map(parameters::get)
        .filter(file -> !file.isEmpty() && !Files.isReadable(Path.of(file)))
        .collect(Collectors.toList());
  }
}
