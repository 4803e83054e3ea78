// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;
import org.sluice.sim.queue.DropTail;

/** Hosts around one switch, for tests. */
final class RackFixture {
  static final long MILLISECOND = 1_000_000L;
  static final long SECOND = 1_000_000_000L;

  final Scheduler scheduler = new Scheduler();
  final Network network;
  final List<Endpoint> endpoints = new ArrayList<>();

  RackFixture(int hosts, long bitsPerSecond, long rttNanos, long seed) {
    network = new Network(scheduler, new RandomStreams(seed));
    Switch middle = network.addSwitch("s1");
    LinkParameters link = new LinkParameters(bitsPerSecond, rttNanos / 4, 0);
    for (int i = 0; i < hosts; i++) {
      Host host = network.addHost("h" + i);
      network.connect(host, middle, link, new DropTail(10_000), new DropTail(10_000));
      endpoints.add(network.addEndpoint("e" + i, host));
    }
    network.computeRoutes();
  }
}
