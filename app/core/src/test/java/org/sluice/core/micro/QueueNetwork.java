// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.BackgroundQueue;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.link.BackgroundQueues;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndedFlows;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.LargeFlow;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.RateCap;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/**
 * Two switches feed a third, behind which two hosts are: s1/2 and s3/2 lead to s2, whose ports 3
 * and 4 lead to h3 and h4, at 100 Mbit/s. So qc there is 8 packets at a round trip of 1 ms, and TH
 * is 5. Agents p1, p2 and p3 keep the ports of s1, s2 and s3.
 */
final class QueueNetwork {
  static final HostId P1 = HostId.of("p1");
  static final HostId P2 = HostId.of("p2");
  static final HostId P3 = HostId.of("p3");
  static final long PERIOD_MILLIS = 5;
  static final long PERIOD_NANOS = 5_000_000;
  static final long TIMEOUT_NANOS = 100_000_000;
  static final long EDGE = 100_000_000;
  private static final int BUFFER = 36;

  final MemoryNetwork network =
      new MemoryNetwork()
          .connect("s1", 1, 2)
          .connect("s2", 1, 2, 3, 4)
          .connect("s3", 1, 2)
          .link("s1/2", "s2/1")
          .link("s3/2", "s2/2");

  final List<MemoryNode> nodes = new ArrayList<>();

  QueueNetwork(String... names) {
    network.setCapacity("s2/3", EDGE);
    network.setCapacity("s2/4", EDGE);
    for (int host = 1; host <= 4; host++) {
      network.seen(mac(host), edge(host), "10.0.0." + host, "fd00::" + host);
    }
    for (String name : names) {
      nodes.add(new MemoryNode(network, name));
    }
    for (String each : List.of("s1", "s2", "s3")) {
      network.setMaster(each, names[0]);
    }
  }

  private static String mac(int host) {
    return "02:00:00:00:01:0" + host;
  }

  private static String edge(int host) {
    return List.of("s1/1", "s3/1", "s2/3", "s2/4").get(host - 1);
  }

  MemoryNode node() {
    return nodes.get(0);
  }

  /** All nodes start with some settings, and hosts connect. */
  QueueNetwork start(Object... settings) {
    for (MemoryNode node : nodes) {
      node.set(settings);
      node.start();
      for (int host = 1; host <= 4; host++) {
        node.link.connect(
            hello(
                "h" + host,
                endpoint("h" + host + "/vm0", mac(host), "10.0.0." + host, "fd00::" + host)));
      }
    }
    pass(4);
    return this;
  }

  QueueNetwork connectPortAgents() {
    connectPortAgent(P1, "s1/2");
    connectPortAgent(P2, "s2/3", "s2/4");
    connectPortAgent(P3, "s3/2");
    return this;
  }

  /** An agent connects and reports queues that are empty. */
  void connectPortAgent(HostId agent, String... ports) {
    List<PortId> ids = Arrays.stream(ports).map(p -> port(p)).collect(Collectors.toList());
    for (MemoryNode node : nodes) {
      node.link.connect(HostHello.ofPortAgent(agent, "1.2.3", List.of(), ids));
    }
    pass(1);
    for (String each : ports) {
      queue(agent, each, 0, 0);
    }
    pass(12); // An empty queue is evaluated every 50 ms.
  }

  /** So many control periods pass. */
  void pass(int periods) {
    network.time.advanceMillis(periods * PERIOD_MILLIS);
  }

  void passMillis(long millis) {
    network.time.advanceMillis(millis);
  }

  /** A port agent reports a queue with two levels. */
  void queue(
      HostId agent,
      String of,
      int microPackets,
      long microSentBytes,
      BackgroundQueueSample... background) {
    long waiting = Arrays.stream(background).mapToLong(q -> q.backlogPackets()).sum();
    PortQueueSample sample =
        PortQueueSample.of(port(of), 0, 0, 0, 0, 0, microPackets + waiting, 0)
            .with(
                BUFFER,
                List.of(
                    LevelQueueSample.of(0, microSentBytes, 0, microPackets),
                    LevelQueueSample.of(0, 0, 0, waiting)),
                List.of(background));
    reportQueue(agent, sample);
  }

  void reportQueue(HostId agent, PortQueueSample sample) {
    for (MemoryNode node : nodes) {
      node.link.report(
          UplinkMessage.ofPortQueues(
              PortQueueObservation.of(
                  agent, network.time.nanoTime(), PERIOD_NANOS, List.of(sample))));
    }
  }

  static FlowKey flow(int from, int to) {
    return flow("10.0.0." + from, "10.0.0." + to);
  }

  static FlowKey flow(int from, int to, int sourcePort) {
    return FlowKey.of(flow(from, to).source(), sourcePort, flow(from, to).destination(), 80);
  }

  static FlowKey flow(String from, String to) {
    return FlowKey.of(IpAddress.parse(from), 40_000, IpAddress.parse(to), 80);
  }

  /** A host's agent reports large flows that go on. */
  void large(String host, long bytes, FlowKey... flows) {
    report(
        host,
        Arrays.stream(flows)
            .map(flow -> LargeFlow.of(flow, bytes, false))
            .collect(Collectors.toList()),
        List.of());
  }

  void report(String host, List<LargeFlow> large, List<EndedFlows> ended) {
    for (MemoryNode node : nodes) {
      node.link.report(
          UplinkMessage.ofFlowSizes(
              FlowSizeReport.of(HostId.of(host), network.time.nanoTime(), large, ended)));
    }
  }

  /** A host reports that a pair sends, so that guarantees hold for it. */
  void pair(String host, int from, int to) {
    PairSample pair =
        PairSample.of(
            IpAddress.parse("10.0.0." + from),
            IpAddress.parse("10.0.0." + to),
            100,
            150_000,
            0,
            0,
            0);
    for (MemoryNode node : nodes) {
      node.link.report(
          UplinkMessage.ofObservation(
              HostObservation.of(
                  HostId.of(host),
                  network.time.nanoTime(),
                  PERIOD_NANOS,
                  List.of(pair),
                  List.of())));
    }
  }

  /** Short flows wait at a port of s2: evaluated in the next periods. */
  void hit(String at, int packets) {
    queue(P2, at, packets, 0);
    pass(1);
  }

  static List<RateCap> caps(FakeLink link, HostId agent) {
    return link.listedTo(agent, DownlinkMessage.Kind.RATE_CAPS, DownlinkMessage::rateCaps);
  }

  List<RateCap> caps(HostId agent) {
    return caps(node().link, agent);
  }

  RateCap lastCap(HostId agent) {
    List<RateCap> all = caps(agent);
    return all.get(all.size() - 1);
  }

  static List<BackgroundQueues> queueSets(FakeLink link, HostId agent) {
    return link.sentTo(
        agent, DownlinkMessage.Kind.BACKGROUND_QUEUES, DownlinkMessage::backgroundQueues);
  }

  BackgroundQueues lastQueues(HostId agent) {
    List<BackgroundQueues> all = queueSets(node().link, agent);
    return all.get(all.size() - 1);
  }

  static BackgroundQueue queueFor(String downstream, String... destinations) {
    return BackgroundQueue.of(
        port(downstream),
        Arrays.stream(destinations).map(IpAddress::parse).collect(Collectors.toSet()));
  }

  static RateCap cap(String upstream, String downstream, long bitsPerSecond) {
    return RateCap.of(port(upstream), port(downstream), bitsPerSecond, TIMEOUT_NANOS);
  }
}
