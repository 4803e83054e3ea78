// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.function.ToLongFunction;
import org.sluice.api.PortId;
import org.sluice.api.link.AgentLink;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.loop.EndpointPaths;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.Platform;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.engine.Engine;
import org.sluice.engine.control.PortAuthority;

/** What Micro-flow needs of the rest. */
public final class MicroFlowContext {
  final Engine engine;
  final EndpointPaths paths;
  final PortAuthority authority;
  final ToLongFunction<PortId> termOfPort;
  final AgentLink link;
  final ReportedEndpoints endpoints;
  final TenantDirectory tenants;
  final Capacities capacities;
  final Platform platform;
  final NodeJournal journal;

  public MicroFlowContext(
      Engine engine,
      EndpointPaths paths,
      PortAuthority authority,
      ToLongFunction<PortId> termOfPort,
      AgentLink link,
      ReportedEndpoints endpoints,
      TenantDirectory tenants,
      Capacities capacities,
      Platform platform,
      NodeJournal journal) {
    this.engine = engine;
    this.paths = paths;
    this.authority = authority;
    this.termOfPort = termOfPort;
    this.link = link;
    this.endpoints = endpoints;
    this.tenants = tenants;
    this.capacities = capacities;
    this.platform = platform;
    this.journal = journal;
  }
}
