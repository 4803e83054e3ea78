// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import org.sluice.sim.network.Link;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Node;

/**
 * How links of one kind are made.
 *
 * @param link both directions alike
 * @param queueAtA in front of the direction from the first node to the second
 * @param queueAtB in the other direction
 */
public record LinkPlan(LinkParameters link, QueueFactory queueAtA, QueueFactory queueAtB) {
  /** The same queue in both directions. */
  public static LinkPlan symmetric(LinkParameters link, QueueFactory queue) {
    return new LinkPlan(link, queue, queue);
  }

  /** Links two nodes so. */
  public Link connect(Network network, Node a, Node b) {
    String names = a.name() + " " + b.name();
    return network.connect(
        a,
        b,
        link,
        queueAtA.create(link, network.random().stream("queue " + names)),
        queueAtB.create(link, network.random().stream("queue back " + names)));
  }
}
