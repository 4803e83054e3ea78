// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowService;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.LossCounts;

/** Summarizes deadlines. */
@Service
@Needs(Permission.SEE_OWN)
@Command(
    scope = ShellPlatform.SCOPE,
    name = "sluice-deadlines",
    description = "Counts flows with deadlines by tenant and state, and lists congested ports")
public final class DeadlinesCommand extends ListCommand {

  @Override
  void list() throws SluiceException, JsonProcessingException {
    DeadlineSummary summary = caller().seen(service(FlowService.class).deadlines());
    LossCounts losses = summary.losses();
    List<Map.Entry<TenantId, Map<FlowState, Long>>> tenants =
        new ArrayList<>(new TreeMap<>(summary.counts()).entrySet());
    if (outputJson()) {
      ObjectNode json = mapper().createObjectNode();
      json.setAll(Listings.DEADLINES.json(tenants));
      json.setAll(Listings.congestedPorts(PortId::toString).json(summary.congestedPorts()));
      json.putObject("seenBySwitches")
          .put("beginnings", summary.beginningsSeen())
          .put("ends", summary.endsSeen());
      json.putObject("losses")
          .put("reported", losses.reported())
          .put("duplicates", losses.duplicates())
          .put("resends", losses.resends())
          .put("packetOuts", losses.packetOuts());
      print("%s", mapper().writerWithDefaultPrettyPrinter().writeValueAsString(json));
    } else {
      if (tenants.isEmpty()) {
        print("No deadline has been registered yet.");
      } else {
        print("%s", Listings.DEADLINES.table(tenants));
      }
      if (!summary.congestedPorts().isEmpty()) {
        PortService ports = service(PortService.class);
        print("%s", Listings.congestedPorts(ports::label).table(summary.congestedPorts()));
      }
      if (summary.beginningsSeen() + summary.endsSeen() > 0) {
        print(
            "Switches reported %d beginnings and %d ends of connections.",
            summary.beginningsSeen(), summary.endsSeen());
      }
      if (losses.reported() > 0) {
        print(
            "Ports lost %d packets: %d were sent again, %d of them by packet-out; duplicate"
                + " acknowledgements were requested %d times.",
            losses.reported(), losses.resends(), losses.packetOuts(), losses.duplicates());
      }
    }
  }
}
