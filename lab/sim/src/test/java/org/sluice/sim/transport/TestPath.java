// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.queue.DropTail;
import org.sluice.sim.queue.QueueDiscipline;

/**
 * Sources, a switch, and a sink. Each link has a quarter of the round trip's delay. The sources'
 * links are ten times as fast as the sink's: what queues, queues at the switch's port towards it.
 */
final class TestPath {
  static final long SECOND = 1_000_000_000L;
  static final long MILLISECOND = 1_000_000L;
  private static final int AMPLE = 1_000_000;
  private static final int ACCESS = 10;

  final Scheduler scheduler = new Scheduler();
  final Network network;
  final Endpoint[] sources;
  final Endpoint sink;
  final Port bottleneck;
  final Port returning;

  TestPath(int sourceCount, long bitsPerSecond, long rttNanos, QueueDiscipline queue) {
    this(sourceCount, bitsPerSecond, rttNanos, queue, new DropTail(AMPLE), 1);
  }

  /**
   * @param returnQueue of the sink's own NIC, where acknowledgements leave
   */
  TestPath(
      int sourceCount,
      long bitsPerSecond,
      long rttNanos,
      QueueDiscipline queue,
      QueueDiscipline returnQueue,
      long seed) {
    network = new Network(scheduler, new RandomStreams(seed));
    LinkParameters access = new LinkParameters(ACCESS * bitsPerSecond, rttNanos / 4, 0);
    LinkParameters link = new LinkParameters(bitsPerSecond, rttNanos / 4, 0);
    Switch middle = network.addSwitch("s1");
    sources = new Endpoint[sourceCount];
    for (int i = 0; i < sourceCount; i++) {
      Host host = network.addHost("h" + i);
      network.connect(host, middle, access, new DropTail(AMPLE), new DropTail(AMPLE));
      sources[i] = network.addEndpoint("e" + i, host);
    }
    Host last = network.addHost("sink");
    bottleneck = network.connect(middle, last, link, queue, returnQueue).atA();
    returning = last.nic();
    sink = network.addEndpoint("sink", last);
    network.computeRoutes();
  }

  TcpFlow tcp(int source, TcpParameters parameters, long bytes) {
    return new TcpFlow(network, "tcp" + source, sources[source], sink, parameters, bytes);
  }

  /** The round trip of a full segment and its acknowledgement that wait for nothing, s. */
  static double rttSeconds(long bitsPerSecond, long rttNanos) {
    return rttNanos / 1e9 + (1500 + 40) * 8 * (1 + 1.0 / ACCESS) / bitsPerSecond;
  }

  void runUntil(long nanos) {
    scheduler.runUntil(nanos);
  }
}
