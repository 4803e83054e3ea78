// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;
import javax.ws.rs.GET;
import javax.ws.rs.Path;
import javax.ws.rs.Produces;
import javax.ws.rs.core.Configuration;
import javax.ws.rs.core.Context;
import javax.ws.rs.core.MediaType;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.deadline.FlowState;
import org.sluice.rest.json.Json;

/** How deadlines fare: registrations by tenant and state, and ports where windows are given. */
@Path("deadlines")
@Produces(MediaType.APPLICATION_JSON)
public final class DeadlinesResource {
  private final Services services;

  public DeadlinesResource(@Context Configuration configuration) {
    this.services = Services.of(configuration);
  }

  @GET
  public String read() throws SluiceException {
    DeadlineSummary summary = services.get(FlowService.class).deadlines();
    ObjectNode json = Json.object();
    ArrayNode tenants = json.putArray("tenants");
    for (Map.Entry<TenantId, Map<FlowState, Long>> tenant :
        new TreeMap<>(summary.counts()).entrySet()) {
      ObjectNode one = tenants.addObject().put("tenant", tenant.getKey().name());
      for (FlowState state : FlowState.values()) {
        one.put(state.text(), tenant.getValue().getOrDefault(state, 0L));
      }
    }
    ArrayNode ports = json.putArray("congestedPorts");
    for (DeadlineSummary.CongestedPort port : summary.congestedPorts()) {
      ports
          .addObject()
          .put("port", port.port().toString())
          .put("totalWindowBytes", port.totalWindowBytes());
    }
    json.putObject("seenBySwitches")
        .put("beginnings", summary.beginningsSeen())
        .put("ends", summary.endsSeen());
    return json.toString();
  }
}
