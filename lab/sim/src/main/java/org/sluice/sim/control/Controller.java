// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.Engine;
import org.sluice.engine.control.DecisionSink;
import org.sluice.engine.control.NoticeDraft;
import org.sluice.engine.control.PortAuthority;
import org.sluice.engine.journal.Journal;
import org.sluice.engine.law.ReceiveCeiling;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.shim.host.Addresses;

/** The controller: the engine, ticked every T_i of simulated time, while there is one. */
final class Controller implements DecisionSink {
  private final Network network;
  private final SluiceParameters parameters;
  private final Addresses addresses;
  private final NetworkPaths paths;
  private final SwitchReader switches;
  private final Policies policies;
  private final Journal journal = new Journal();
  private final Map<HostId, HostLink> links = new LinkedHashMap<>();
  private final Event tick = new Tick();
  private final long phaseNanos;
  private Engine engine;
  private long session;
  private long ticks;

  Controller(
      Network network, SluiceParameters parameters, Addresses addresses, ControlChannels channels) {
    this.network = network;
    this.parameters = parameters;
    this.addresses = addresses;
    this.paths = new NetworkPaths(network, addresses);
    this.switches = new SwitchReader(network, paths, this, parameters, channels);
    this.policies = new Policies(addresses, network.endpoints().size());
    this.phaseNanos =
        network.random().stream("controller").nextLong(parameters.engine().controlPeriodNanos());
  }

  void add(HostLink link) {
    links.put(link.id(), link);
  }

  /** It starts, with nothing but policies. */
  void begin() {
    session++;
    policies.forgetCeilingParts();
    engine = new Engine(paths, PortAuthority.ALL, this, journal, parameters.engine());
    putPorts();
    switches.begin(engine);
    for (HostLink link : links.values()) {
      engine.putHost(link.id(), link.shim().host().nic().rateBitsPerSecond());
    }
    for (Endpoint endpoint : network.endpoints()) {
      putPolicy(endpoint);
    }
    policies.tenants().forEach(engine::shareTenant);
    for (HostLink link : links.values()) {
      link.beginSession();
    }
    network.scheduler().armIn(tick, phaseNanos);
  }

  /** It stops. */
  void end() {
    engine = null;
    network.scheduler().disarm(tick);
    switches.end();
    for (HostLink link : links.values()) {
      link.endSession();
    }
  }

  Policies policies() {
    return policies;
  }

  /** A policy has changed: engine and host get it, unless there is no controller. */
  void putPolicy(Endpoint endpoint) {
    if (engine == null) {
      return;
    }
    EndpointProfile policy = policies.of(endpoint, parameters.shim().preserveEcn());
    putReceiver(endpoint.number(), policy.receiveCeilingBitsPerSecond());
    engine.putEndpoint(policy, Set.of(addresses.ip(endpoint.number())));
    sendPolicy(endpoint);
  }

  private void sendPolicy(Endpoint endpoint) {
    links
        .get(HostId.of(endpoint.host().name()))
        .send(policies.ofHost(endpoint, parameters.shim().preserveEcn()), endpoint);
  }

  private void putReceiver(int endpoint, long ceilingBitsPerSecond) {
    paths.setReceiver(endpoint, ceilingBitsPerSecond > 0);
    if (ceilingBitsPerSecond > 0) {
      engine.putPort(
          addresses.receiver(endpoint),
          ReceiveCeiling.drainedBitsPerSecond(ceilingBitsPerSecond),
          PortStatus.CapacitySource.CONFIGURED);
    } else {
      engine.removePort(addresses.receiver(endpoint));
    }
  }

  /** A tenant is due something else, or has other endpoints. */
  void putTenant(TenantId id) {
    if (engine == null) {
      return;
    }
    network.endpoints().stream()
        .filter(endpoint -> policies.isMember(endpoint, id))
        .forEach(this::putPolicy);
    engine.shareTenant(policies.tenant(id));
  }

  /** Routes were computed anew, or a port has another capacity. */
  void topologyChanged() {
    paths.forget();
    if (engine != null) {
      putPorts();
    }
  }

  private void putPorts() {
    for (Switch s : network.switches()) {
      for (Port port : s.ports()) {
        engine.putPort(paths.id(port), port.rateBitsPerSecond(), PortStatus.CapacitySource.SWITCH);
      }
    }
  }

  long session() {
    return session;
  }

  void take(long ofSession, HostObservation observation) {
    if (engine != null && ofSession == session) {
      engine.observe(observation);
    }
  }

  void take(long ofSession, List<MeterSample> meters, List<PortSample> ports) {
    if (engine != null && ofSession == session) {
      long now = network.scheduler().now();
      meters.forEach(sample -> engine.observe(sample, now));
      ports.forEach(sample -> engine.observe(sample, now));
    }
  }

  void take(long ofSession, PortQueueObservation observation) {
    if (engine != null && ofSession == session) {
      engine.observe(observation);
    }
  }

  @Override
  public void unitShare(HostId host, UnitShare share) {
    links.get(host).send(share);
  }

  @Override
  public void notice(HostId host, NoticeDraft notice) {
    links.get(host).send(notice.toNotice());
  }

  @Override
  public void ceiling(EndpointId id, long bitsPerSecond) {
    Endpoint endpoint = addresses.endpoint(id);
    policies.setCeilingPart(endpoint, bitsPerSecond);
    sendPolicy(endpoint);
  }

  Journal journal() {
    return journal;
  }

  /** Null while there is no controller. */
  Engine engine() {
    return engine;
  }

  long ticks() {
    return ticks;
  }

  private final class Tick extends Event {
    @Override
    protected void fire() {
      long now = network.scheduler().now();
      ticks++;
      engine.tick(now, now / 1_000_000);
      network.scheduler().arm(this, now + parameters.engine().controlPeriodNanos());
    }
  }
}
