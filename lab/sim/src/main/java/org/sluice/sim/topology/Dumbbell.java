// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Link;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;

/**
 * Senders on the left, receivers on the right, one link between the two switches.
 *
 * @param senders endpoints {@code s1...}, each on a host of its own
 * @param receivers endpoints {@code r1...}, each on a host of its own
 * @param middle the link between the switches
 */
public record Dumbbell(List<Endpoint> senders, List<Endpoint> receivers, Link middle) {
  public Dumbbell {
    senders = List.copyOf(senders);
    receivers = List.copyOf(receivers);
  }

  /** The port that all senders share. */
  public Port bottleneck() {
    return middle.atA();
  }

  /**
   * @param access between hosts (first) and switches
   * @param between from left (first) to right
   */
  public static Dumbbell build(
      Network network, int senders, int receivers, LinkPlan access, LinkPlan between) {
    Switch left = network.addSwitch("left");
    Switch right = network.addSwitch("right");
    Link middle = between.connect(network, left, right);
    List<Endpoint> sending = attach(network, left, "s", senders, access);
    List<Endpoint> receiving = attach(network, right, "r", receivers, access);
    network.computeRoutes();
    return new Dumbbell(sending, receiving, middle);
  }

  /** Hosts {@code <prefix>1...} behind a switch, with one endpoint of the same name each. */
  static List<Endpoint> attach(
      Network network, Switch to, String prefix, int count, LinkPlan access) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      String name = prefix + i;
      var host = network.addHost(name);
      access.connect(network, host, to);
      endpoints.add(network.addEndpoint(name, host));
    }
    return endpoints;
  }
}
