// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Link;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;

/**
 * Two tiers, every leaf linked to every spine.
 *
 * @param endpoints {@code h1...}, leaf by leaf, each on a host of its own
 * @param leaves {@code leaf1...}
 * @param spines {@code spine1...}
 * @param fabric leaf (a) to spine (b), leaf by leaf
 */
public record LeafSpine(
    List<Endpoint> endpoints, List<Switch> leaves, List<Switch> spines, List<Link> fabric) {
  public LeafSpine {
    endpoints = List.copyOf(endpoints);
    leaves = List.copyOf(leaves);
    spines = List.copyOf(spines);
    fabric = List.copyOf(fabric);
  }

  /**
   * @param access between hosts (first) and leaves
   * @param between from leaves (first) to spines
   */
  public static LeafSpine build(
      Network network,
      int leafCount,
      int spineCount,
      int hostsPerLeaf,
      LinkPlan access,
      LinkPlan between) {
    List<Switch> spines = new ArrayList<>();
    for (int i = 1; i <= spineCount; i++) {
      spines.add(network.addSwitch("spine" + i));
    }
    List<Switch> leaves = new ArrayList<>();
    List<Link> fabric = new ArrayList<>();
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 1; i <= leafCount; i++) {
      Switch leaf = network.addSwitch("leaf" + i);
      leaves.add(leaf);
      for (Switch spine : spines) {
        fabric.add(between.connect(network, leaf, spine));
      }
      for (int j = 1; j <= hostsPerLeaf; j++) {
        String name = "h" + (endpoints.size() + 1);
        Host host = network.addHost(name);
        access.connect(network, host, leaf);
        endpoints.add(network.addEndpoint(name, host));
      }
    }
    network.computeRoutes();
    return new LeafSpine(endpoints, leaves, spines, fabric);
  }
}
