// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fabric;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import org.sluice.sim.fabric.Fabric.Cable;
import org.sluice.sim.fabric.Fabric.Host;
import org.sluice.sim.fabric.Fabric.Sender;
import org.sluice.sim.fabric.Fabric.Tenant;

/** A fabric in the words of a scenario. */
public final class FabricDocument {
  private static final int CABLE_DELAY_MICROS = 2;

  /** Flows that do not take turns begin within so long. */
  private static final String START_SPREAD = "10 ms";

  private FabricDocument() {}

  /** The keys of a scenario that a fabric has: topology, flows, policy, tenants. */
  public static ObjectNode of(Fabric fabric) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    addTopology(document.putObject("topology"), fabric);
    ObjectNode flows = document.putObject("flows");
    ArrayNode policy = document.putArray("policy");
    for (Sender sender : fabric.senders()) {
      addFlows(flows.putObject(sender.endpoint().replace('/', '-')), sender);
      if (sender.isDueMore()) {
        addDue(
            policy.addObject().put("endpoints", sender.endpoint()),
            sender.weight(),
            sender.guaranteeMegabits(),
            sender.ceilingMegabits());
      }
    }
    ArrayNode tenants = document.putArray("tenants");
    for (Tenant tenant : fabric.tenants()) {
      ObjectNode added = tenants.addObject();
      added.put("name", tenant.name()).put("endpoints", String.join(", ", tenant.members()));
      addDue(added, tenant.weight(), tenant.guaranteeMegabits(), tenant.ceilingMegabits());
    }
    return document;
  }

  private static void addTopology(ObjectNode topology, Fabric fabric) {
    topology.put("kind", "custom");
    ArrayNode switches = topology.putArray("switches");
    fabric.switches().forEach(switches::add);
    ArrayNode hosts = topology.putArray("hosts");
    for (Host host : fabric.hosts()) {
      ObjectNode added = hosts.addObject();
      added.put("names", host.name()).put("at", host.at());
      addLink(added, host.megabits(), host.delayMicros());
      if (!host.endpoints().isEmpty()) {
        ArrayNode endpoints = added.putArray("endpoints");
        host.endpoints().forEach(endpoints::add);
      }
    }
    ArrayNode links = topology.putArray("links");
    for (Cable cable : fabric.cables()) {
      ObjectNode added = links.addObject().put("from", cable.from()).put("to", cable.to());
      addLink(added, cable.megabits(), CABLE_DELAY_MICROS);
    }
  }

  private static void addLink(ObjectNode to, double megabits, int delayMicros) {
    to.putObject("link").put("rate", rate(megabits)).put("delay", delayMicros + " us");
  }

  private static void addFlows(ObjectNode flows, Sender sender) {
    flows.put("transport", sender.transport());
    flows.put("from", sender.endpoint());
    flows.put("to", String.join(", ", sender.destinations()));
    flows.put("pairing", "eachToEach");
    if (sender.megabits() > 0) {
      flows.put("rate", rate(sender.megabits()));
      if (sender.destinations().size() > 1) {
        flows.put("gaps", "random");
      }
    }
    if (sender.onMillis() > 0) {
      flows.put("on", sender.onMillis() + " ms").put("off", sender.offMillis() + " ms");
      flows.put("turns", "fixed").put("start", sender.startMillis() + " ms");
    } else {
      flows.put("startSpread", START_SPREAD);
    }
  }

  private static void addDue(ObjectNode to, int weight, double guarantee, double ceiling) {
    to.put("weight", weight);
    if (guarantee > 0) {
      to.put("guarantee", rate(guarantee));
    }
    if (ceiling > 0) {
      to.put("ceiling", rate(ceiling));
    }
  }

  private static String rate(double megabits) {
    return String.format(Locale.ROOT, "%.1f Mbit/s", megabits);
  }
}
