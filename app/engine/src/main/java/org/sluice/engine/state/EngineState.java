// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import org.sluice.engine.statistics.Counters;

/** All tables of one engine. They refer to each other's rows. */
public final class EngineState {
  public final HostTable hosts = new HostTable();
  public final TenantTable tenants = new TenantTable();
  public final EndpointTable endpoints = new EndpointTable(tenants);
  public final AddressTable addresses = new AddressTable();
  public final PortTable ports = new PortTable();
  public final PathTable paths = new PathTable(ports);
  public final CrossingTable crossings = new CrossingTable(ports);
  public final PairTable pairs = new PairTable();
  public final Passed passed = new Passed(ports.passed, endpoints.passed);
  public final Counters counters = new Counters();
  public final Links links = new Links(ports);

  /** Grows when the capacity of a NIC changes, which may bound any endpoint. */
  public int nicVersion;

  /** Grows when an address gets another holder, or none. */
  public int holdersVersion;

  /** Engine time of the tick, ns. */
  public long now;

  /** The lower of an endpoint's ceiling and its host's NIC, bit/s; without both, no bound. */
  public long mostBitsPerSecond(int endpoint) {
    long ceiling = endpoints.ceilingBitsPerSecond[endpoint];
    long nic = hosts.nicBitsPerSecond[endpoints.host[endpoint]];
    return Math.min(ceiling > 0 ? ceiling : Long.MAX_VALUE, nic > 0 ? nic : Long.MAX_VALUE);
  }

  /** What an endpoint's host lets out at most: its part of the tenant's ceiling, too. */
  public long heldBitsPerSecond(int endpoint) {
    long part = endpoints.ceilingPartBitsPerSecond[endpoint];
    long most = mostBitsPerSecond(endpoint);
    return part > 0 ? Math.min(part, most) : most;
  }
}
