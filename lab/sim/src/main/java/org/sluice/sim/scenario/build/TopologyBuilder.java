// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.List;
import org.sluice.api.HostId;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Node;
import org.sluice.sim.network.Switch;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.topology.Dumbbell;
import org.sluice.sim.topology.FatTree;
import org.sluice.sim.topology.LeafSpine;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.topology.SingleRack;

/** Builds the nodes and links of a scenario. */
final class TopologyBuilder {
  private final Network network;
  private final Fields topology;
  private final QueueFactory hostQueue;
  private final QueueFactory switchQueue;

  private TopologyBuilder(Network network, Fields topology, Fields queues) {
    this.network = network;
    this.topology = topology;
    this.hostQueue = QueueBuilder.queue(queues.at("host"));
    this.switchQueue = QueueBuilder.queue(queues.at("switch"));
  }

  static void build(Network network, Fields topology, Fields queues) {
    new TopologyBuilder(network, topology, queues).build();
  }

  private void build() {
    switch (topology.text("kind", "")) {
      case "dumbbell" ->
          Dumbbell.build(
              network,
              topology.integer("senders", 1),
              topology.integer("receivers", 1),
              access("access"),
              between("middle"));
      case "rack" -> SingleRack.build(network, topology.integer("hosts", 2), access("access"));
      case "leafSpine" ->
          LeafSpine.build(
              network,
              topology.integer("leaves", 1),
              topology.integer("spines", 1),
              topology.integer("hostsPerLeaf", 1),
              access("access"),
              between("fabric"));
      case "fatTree" -> buildFatTree();
      default -> buildCustom();
    }
  }

  private void buildFatTree() {
    int k = topology.integer("k", 2);
    if (k % 2 != 0) {
      throw topology.problem("k", "a fat tree needs an even k, not " + k, "give " + (k + 1));
    }
    FatTree.build(network, k, access("access"), between("pod"), between("core"));
  }

  private void buildCustom() {
    for (String name : topology.texts("switches")) {
      for (String each : names(topology, "switches", name)) {
        requireFree(topology, "switches", each);
        network.addSwitch(each);
      }
    }
    for (Fields hosts : topology.items("hosts")) {
      Node at = switchNamed(hosts, "at");
      LinkPlan plan = plan(hosts.at("link"), hostQueue);
      for (String name : names(hosts, "names", hosts.text("names", ""))) {
        requireFree(hosts, "names", name);
        Host host = network.addHost(name);
        plan.connect(network, host, at);
        addEndpoints(host, hosts.texts("endpoints"));
      }
    }
    for (Fields link : topology.items("links")) {
      plan(link.at("link"), switchQueue)
          .connect(network, switchNamed(link, "from"), switchNamed(link, "to"));
    }
    network.computeRoutes();
  }

  private void addEndpoints(Host host, List<String> endpoints) {
    if (endpoints.isEmpty()) {
      network.addEndpoint(host.name(), host);
    }
    for (String endpoint : endpoints) {
      network.addEndpoint(host.name() + "/" + endpoint, host);
    }
  }

  private Switch switchNamed(Fields at, String key) {
    String name = at.text(key, "");
    Switch found = network.switchNamed(name);
    if (found == null) {
      List<String> known = network.switches().stream().map(Switch::name).toList();
      throw at.problem(
          key, "there is no switch " + name, "the switches are " + String.join(", ", known));
    }
    return found;
  }

  private static List<String> names(Fields at, String key, String text) {
    try {
      List<String> names = NameRange.expand(text);
      names.forEach(HostId::of); // A shim has its host's name.
      return names;
    } catch (IllegalArgumentException e) {
      throw at.problem(key, e.getMessage(), "write a name, or a range such as a[1..7]");
    }
  }

  private void requireFree(Fields at, String key, String name) {
    if (network.switchNamed(name) != null || network.host(name) != null) {
      throw at.problem(key, "there are two nodes " + name, "give each a name of its own");
    }
  }

  private LinkPlan access(String key) {
    return plan(topology.at(key), hostQueue);
  }

  private LinkPlan between(String key) {
    return plan(topology.at(key), switchQueue);
  }

  /** The queue of a link, where it has one, stands in front of it at both ends. */
  private LinkPlan plan(Fields link, QueueFactory first) {
    LinkParameters parameters =
        new LinkParameters(
            positive(link, "rate", link.bitsPerSecond("rate", 0)),
            link.nanos("delay", 0),
            (int) link.bytes("overhead", 0));
    if (link.has("queue")) {
      return LinkPlan.symmetric(parameters, QueueBuilder.queue(link.at("queue")));
    }
    return new LinkPlan(parameters, first, switchQueue);
  }

  private static long positive(Fields at, String key, long value) {
    if (value <= 0) {
      throw at.problem(key, "it must be above 0", "such as 1 Gbit/s");
    }
    return value;
  }
}
