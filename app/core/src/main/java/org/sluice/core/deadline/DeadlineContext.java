// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import org.sluice.api.link.AgentLink;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.engine.Engine;
import org.sluice.engine.control.PortAuthority;
import org.sluice.engine.path.PathOracle;

/** What deadlines need of the rest. */
public final class DeadlineContext {
  final Engine engine;
  final PathOracle paths;
  final PortAuthority authority;
  final AgentLink link;
  final ReportedEndpoints endpoints;
  final EndpointLocator locator;
  final TenantDirectory tenants;
  final Capacities capacities;
  final PacketOut packetOut;

  /** In which this node decides about flows: grows with every start. */
  final long term;

  public DeadlineContext(
      Engine engine,
      PathOracle paths,
      PortAuthority authority,
      AgentLink link,
      ReportedEndpoints endpoints,
      EndpointLocator locator,
      TenantDirectory tenants,
      Capacities capacities,
      PacketOut packetOut,
      long term) {
    this.engine = engine;
    this.paths = paths;
    this.authority = authority;
    this.link = link;
    this.endpoints = endpoints;
    this.locator = locator;
    this.tenants = tenants;
    this.capacities = capacities;
    this.packetOut = packetOut;
    this.term = term;
  }
}
