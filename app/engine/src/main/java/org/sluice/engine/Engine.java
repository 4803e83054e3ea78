// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.link.EndpointPolicy;
import org.sluice.api.link.HostObservation;

/**
 * Turns what hosts observe into decisions. Not thread-safe: one thread calls all of it.
 *
 * <p>Drive it so: tell it hosts, endpoints and ports as they come, hand it observations as they
 * arrive, and call {@link #tick} every T_i. Decisions reach the {@link DecisionSink} within tick.
 */
public final class Engine {

  public Engine(
      PathOracle paths,
      PortAuthority authority,
      DecisionSink sink,
      Journal journal,
      EngineParameters parameters) {}

  /** Takes effect at the next tick. A change of law ends all control under the old one. */
  public void setParameters(EngineParameters parameters) {}

  /**
   * Makes a host and the capacity of its NIC known, or changes it.
   *
   * @param uplinkCapacityBitsPerSecond above 0
   * @throws IllegalArgumentException if the capacity is not above 0
   */
  public void putHost(HostId host, long uplinkCapacityBitsPerSecond) {}

  /**
   * Makes an endpoint known, or changes its policy or addresses. An address that another endpoint
   * holds stays with that one until it gives it up; this is journaled.
   */
  public void putEndpoint(EndpointPolicy policy, Set<IpAddress> ips) {}

  /** Forgets an endpoint; nothing happens if it is not known. */
  public void removeEndpoint(EndpointId endpoint) {}

  /** The endpoint that holds an address: the first that claimed it. */
  public Optional<EndpointId> holderOf(IpAddress ip) {
    return Optional.empty();
  }

  /**
   * Makes a port known, or changes its capacity.
   *
   * @param capacityBitsPerSecond above 0
   * @throws IllegalArgumentException if the capacity is not above 0
   */
  public void putPort(
      PortId port, long capacityBitsPerSecond, PortStatus.CapacitySource capacitySource) {}

  /** Forgets a port; its control, if any, ends at the next tick. */
  public void removePort(PortId port) {}

  /** Takes in what a host saw. Samples that make no sense are counted and dropped. */
  public void observe(HostObservation observation) {}

  /**
   * Ends a control period: attributes marks, decides, and hands decisions to the sink.
   *
   * @param nowNanos a monotonic clock, ns; any origin
   * @param wallClockMillis the time of day for the journal, ms since the epoch
   */
  public void tick(long nowNanos, long wallClockMillis) {}

  /** The state of all known ports, by id. Makes new objects: for once a second, not every tick. */
  public List<PortStatus> portStatuses() {
    return List.of();
  }

  /** What the engine holds and has counted. */
  public EngineStatistics statistics() {
    return new EngineStatistics(new long[EngineStatistics.Figure.values().length]);
  }
}
