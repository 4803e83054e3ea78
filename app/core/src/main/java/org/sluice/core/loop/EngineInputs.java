// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.counter.CounterFeed;
import org.sluice.core.profile.ProfileTable;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Topology;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.engine.Engine;
import org.sluice.engine.EngineParameters;

/**
 * What the engine has to know of settings, endpoints, tenants, ports, links and meters: brought to
 * it whenever it changed. Engine thread only.
 */
public final class EngineInputs {
  private static final long METERS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Engine engine;
  private final Settings settings;
  private final ReportedEndpoints endpoints;
  private final TenantDirectory tenants;
  private final Capacities capacities;
  private final NicCapacities nics;
  private final ReceivePorts receivers;
  private final Topology topology;
  private final CounterFeed counters;

  private Parameters parameters;

  /** Whether endpoints share what their tenant is due, since that was last made known. */
  private boolean sharingChanged;

  private long endpointsEpoch = -1;
  private long tenantsEpoch = -1;
  private long capacitiesEpoch = -1;
  private long receiversVersion = -1;
  private long topologyEpoch = -1;
  private long nextMetersNanos = Long.MIN_VALUE;
  private final Set<EndpointId> knownEndpoints = new HashSet<>();
  private Map<PortId, Capacities.Capacity> knownPorts = new HashMap<>();

  public EngineInputs(
      Engine engine,
      Settings settings,
      ReportedEndpoints endpoints,
      TenantDirectory tenants,
      Capacities capacities,
      NicCapacities nics,
      ReceivePorts receivers,
      Topology topology,
      CounterFeed counters) {
    this.engine = engine;
    this.settings = settings;
    this.endpoints = endpoints;
    this.tenants = tenants;
    this.capacities = capacities;
    this.nics = nics;
    this.receivers = receivers;
    this.topology = topology;
    this.counters = counters;
  }

  /** The engine's part of the parameters. */
  public static EngineParameters engineParameters(Parameters parameters) {
    return EngineParameters.DEFAULTS
        .withLaw(parameters.get(SettingTable.LAW))
        .withSplit(parameters.get(SettingTable.SPLIT))
        .withSignals(parameters.get(SettingTable.SIGNALS))
        .withControlPeriodNanos(
            TimeUnit.MILLISECONDS.toNanos(parameters.get(SettingTable.CONTROL_PERIOD_MILLIS)));
  }

  boolean hasEndpoints() {
    return !knownEndpoints.isEmpty();
  }

  void follow(long nowNanos) {
    followSettings();
    followEndpoints();
    followPorts();
    followLinks();
    nics.follow(nowNanos);
    followMeters(nowNanos);
  }

  private void followSettings() {
    Parameters now = settings.parameters();
    if (!now.equals(parameters)) {
      sharingChanged |=
          parameters == null || parameters.sharesAmongTenants() != now.sharesAmongTenants();
      parameters = now;
      engine.setParameters(engineParameters(now));
    }
  }

  private void followEndpoints() {
    long endpointsNow = endpoints.epoch().get();
    long tenantsNow = tenants.epoch().get();
    if (endpointsNow == endpointsEpoch && tenantsNow == tenantsEpoch && !sharingChanged) {
      return;
    }
    boolean isShared = parameters.sharesAmongTenants();
    Set<EndpointId> changed =
        tenantsNow == tenantsEpoch && !sharingChanged
            ? endpoints.changedSince(endpointsEpoch).orElseGet(this::allEndpoints)
            : allEndpoints();
    sharingChanged = false;
    endpointsEpoch = endpointsNow;
    tenantsEpoch = tenantsNow;
    List<ReportedEndpoint> put = new ArrayList<>();
    for (EndpointId id : new TreeSet<>(changed)) {
      Optional<ReportedEndpoint> endpoint = endpoints.endpoint(id);
      endpoint.ifPresent(put::add);
      // Those that are gone give up their addresses before others claim them.
      if (endpoint.isEmpty() && knownEndpoints.remove(id)) {
        engine.removeEndpoint(id);
      }
    }
    ProfileTable profiles = new ProfileTable(put, tenants, isShared);
    for (ReportedEndpoint endpoint : put) {
      knownEndpoints.add(endpoint.id());
      engine.putEndpoint(profiles.profile(endpoint.id()), endpoint.ips());
    }
    for (Tenant tenant : profiles.tenants()) {
      if (isShared) {
        engine.shareTenant(tenant);
      } else {
        engine.divideTenant(tenant.id());
      }
    }
  }

  private Set<EndpointId> allEndpoints() {
    Set<EndpointId> all = new HashSet<>(knownEndpoints);
    endpoints.reported().forEach(endpoint -> all.add(endpoint.id()));
    return all;
  }

  private void followPorts() {
    long epochNow = capacities.epoch().get();
    long versionNow = receivers.version();
    if (epochNow == capacitiesEpoch && versionNow == receiversVersion) {
      return;
    }
    capacitiesEpoch = epochNow;
    receiversVersion = versionNow;
    // Ordered: the engine's numbers of ports depend on nothing but these.
    Map<PortId, Capacities.Capacity> now = new TreeMap<>(capacities.all());
    now.putAll(receivers.all());
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
      engine.setLinks(topology.peers());
    }
  }

  /** Meters come and go without an event. */
  private void followMeters(long nowNanos) {
    if (nextMetersNanos == Long.MIN_VALUE || nowNanos - nextMetersNanos >= 0) {
      nextMetersNanos = nowNanos + METERS_NANOS;
      engine.setMarkMeters(counters.markMeters());
    }
  }
}
