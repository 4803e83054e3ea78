// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.WindowGrant;
import org.sluice.engine.deadline.GrantSink;
import org.sluice.onos.registry.ReportedEndpoints;

/** Collects the grants of a step, and sends them: one message per host. */
final class GrantOutbox implements GrantSink {
  private final AgentLink link;
  private final ReportedEndpoints endpoints;
  private final long term;
  private final Map<HostId, List<WindowGrant>> grants = new HashMap<>();

  GrantOutbox(AgentLink link, ReportedEndpoints endpoints, long term) {
    this.link = link;
    this.endpoints = endpoints;
    this.term = term;
  }

  @Override
  public void grant(WindowGrant grant) {
    endpoints
        .holder(grant.flow().source())
        .ifPresent(
            source ->
                grants.computeIfAbsent(source.id().host(), h -> new ArrayList<>()).add(grant));
  }

  void flush() {
    grants.forEach((host, list) -> link.sendGrants(host, term, list));
    grants.clear();
  }
}
