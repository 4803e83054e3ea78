// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import java.util.List;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;

/**
 * Hosts behind one switch.
 *
 * @param endpoints {@code h1...}, each on a host of its own
 * @param rack the switch; its port i - 1 leads to {@code h<i>}
 */
public record SingleRack(List<Endpoint> endpoints, Switch rack) {
  public SingleRack {
    endpoints = List.copyOf(endpoints);
  }

  /**
   * @param access between hosts (first) and the switch
   */
  public static SingleRack build(Network network, int hosts, LinkPlan access) {
    Switch rack = network.addSwitch("rack");
    List<Endpoint> endpoints = Dumbbell.attach(network, rack, "h", hosts, access);
    network.computeRoutes();
    return new SingleRack(endpoints, rack);
  }
}
