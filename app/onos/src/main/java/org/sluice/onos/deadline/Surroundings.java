// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import org.sluice.api.link.AgentLink;
import org.sluice.onos.registry.Capacities;
import org.sluice.onos.registry.ReportedEndpoints;
import org.sluice.onos.tenant.TenantDirectory;

/** What deadlines need of the other components. */
final class Surroundings {
  final AgentLink link;
  final ReportedEndpoints endpoints;
  final TenantDirectory tenants;
  final Capacities capacities;
  final FlowChronicle chronicle;

  /** In whose name this node speaks about flows: grows with every start. */
  final long term;

  Surroundings(
      AgentLink link,
      ReportedEndpoints endpoints,
      TenantDirectory tenants,
      Capacities capacities,
      FlowChronicle chronicle,
      long term) {
    this.link = link;
    this.endpoints = endpoints;
    this.tenants = tenants;
    this.capacities = capacities;
    this.chronicle = chronicle;
    this.term = term;
  }
}
