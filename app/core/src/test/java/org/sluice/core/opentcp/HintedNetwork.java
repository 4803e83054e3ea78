// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.TcpHintReport;
import org.sluice.api.link.TcpHints;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyConstraints;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.PrefixHint;
import org.sluice.api.policy.TcpHint;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/**
 * Three switches in a row, s1/5 to s2/6 and s2/5 to s3/6, with hosts h1 and h2 at s1, h3 at s3, h4
 * at s2, at 1 Gbit/s each. The platform reads all ports once a second. T is five seconds.
 */
final class HintedNetwork {
  static final HostId H1 = HostId.of("h1");
  static final HostId H2 = HostId.of("h2");
  static final HostId H3 = HostId.of("h3");
  static final HostId H4 = HostId.of("h4");
  static final HostId WIRE = HostId.of("wire");
  static final List<HostId> HOSTS = List.of(H1, H2, H3, H4);
  static final List<String> PORTS =
      List.of("s1/1", "s1/2", "s1/5", "s2/1", "s2/5", "s2/6", "s3/1", "s3/6");
  static final int CYCLE_SECONDS = 5;
  static final double CAPACITY = 1e9;
  private static final long SECOND = 1_000_000_000L;
  private static final int FRAME_BYTES = 1000;

  static final TcpHint FAST =
      TcpHint.builder().initialWindowSegments(20).rtoMinNanos(2_000_000).build();

  final MemoryNetwork network =
      new MemoryNetwork()
          .connect("s1", 1, 2, 5)
          .connect("s2", 1, 5, 6)
          .connect("s3", 1, 6)
          .link("s1/5", "s2/6")
          .link("s2/5", "s3/6");

  final List<MemoryNode> nodes = new ArrayList<>();

  /** By port: its load now, a fraction, and packets that it drops in a second. */
  final Map<String, Double> loads = new HashMap<>();

  final Map<String, Long> drops = new HashMap<>();

  /** Ports that are not read now. */
  final List<String> unread = new ArrayList<>();

  /** Whether switches count what they drop. */
  boolean countsDrops = true;

  HintedNetwork(String... names) {
    network.seen(mac(1), "s1/1", "10.0.1.1");
    network.seen(mac(2), "s1/2", "10.0.1.2");
    network.seen(mac(3), "s3/1", "10.0.3.1");
    network.seen(mac(4), "s2/1", "10.0.2.1");
    for (String each : List.of("s1", "s2", "s3")) {
      network.setMaster(each, names[0]);
    }
    for (String name : names) {
      join(name);
    }
    network.time.advanceMillis(1_500);
  }

  MemoryNode join(String name) {
    MemoryNode node = new MemoryNode(network, name).start();
    nodes.add(node);
    for (int host = 1; host <= HOSTS.size(); host++) {
      node.link.connect(helloOf(host));
    }
    return node;
  }

  MemoryNode node() {
    return nodes.get(0);
  }

  PolicyService policies() {
    return node().controller().policies();
  }

  static String mac(int host) {
    return "02:00:00:00:01:0" + host;
  }

  static HostHello helloOf(int host) {
    String[] ips = {"10.0.1.1", "10.0.1.2", "10.0.3.1", "10.0.2.1"};
    return hello("h" + host, endpoint("h" + host + "/vm0", mac(host), ips[host - 1]));
  }

  static IpAddress ip(String text) {
    return IpAddress.parse(text);
  }

  /** Hints as the lecture's, below 70 % and 0.1 %. */
  static Policy.Builder fast() {
    Limits limits = Limits.of(PolicyConstraints.UTILISATION, PolicyConstraints.DROP_RATE);
    return Policy.builder("fast").enterBelow(limits).leaveAt(limits).hint(FAST);
  }

  static PolicySet set(Policy.Builder... policies) {
    return set("test", policies);
  }

  static PolicySet set(String name, Policy.Builder... policies) {
    List<Policy> built = new ArrayList<>();
    for (Policy.Builder each : policies) {
      built.add(each.build());
    }
    try {
      return PolicySet.builder(name).cycleNanos(CYCLE_SECONDS * SECOND).policies(built).build();
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  /** So many seconds, of whole cycles where policies were applied at a whole one. */
  void seconds(int count) {
    for (int i = 0; i < count; i++) {
      for (String each : PORTS) {
        if (!unread.contains(each)) {
          nodes.forEach(node -> node.counters.poll(sample(each)));
        }
      }
      network.time.advanceNanos(SECOND);
    }
  }

  void cycles(int count) {
    seconds(count * CYCLE_SECONDS);
  }

  private PortSample sample(String name) {
    long bytes = (long) (loads.getOrDefault(name, 0.01) * CAPACITY / 8);
    return PortSample.builder(port(name))
        .txBytes(bytes)
        .txPackets(bytes / FRAME_BYTES)
        .txDroppedPackets(countsDrops ? drops.getOrDefault(name, 0L) : PortSample.NOT_COUNTED)
        .intervalNanos(SECOND)
        .build();
  }

  /** An agent keeps a port's queue from here on. */
  void connectPortAgent(String name) {
    HostHello hello = HostHello.ofPortAgent(WIRE, "1.2.3", List.of(), List.of(port(name)));
    nodes.forEach(node -> node.link.connect(hello));
  }

  /** What that agent has seen in a second. */
  void queued(String name, long packets, long dropped) {
    PortId id = port(name);
    PortQueueSample sample =
        PortQueueSample.of(id, packets, packets * FRAME_BYTES, 0, 0, dropped, 0, 0);
    UplinkMessage message =
        UplinkMessage.ofPortQueues(
            PortQueueObservation.of(WIRE, network.time.nanoTime(), SECOND, List.of(sample)));
    nodes.forEach(node -> node.link.report(message));
  }

  /** A host has sent. */
  void sent(HostId host, String from, String to, long bytes) {
    PairSample pair = PairSample.of(ip(from), ip(to), bytes / FRAME_BYTES, bytes, 0, 0, 0);
    UplinkMessage message =
        UplinkMessage.ofObservation(
            HostObservation.of(host, network.time.nanoTime(), SECOND, List.of(pair), List.of()));
    nodes.forEach(node -> node.link.report(message));
  }

  /** A host reports what it made of its latest hints. */
  void report(HostId host, List<AppliedHint> applied, String... refused) {
    node()
        .link
        .report(
            UplinkMessage.ofTcpHintReport(
                TcpHintReport.of(
                    host, last(host).orElseThrow().revision(), applied, List.of(refused))));
  }

  /** All sets of hints that a node has sent a host. */
  static List<TcpHints> all(MemoryNode node, HostId host) {
    return node.link.sentTo(host, DownlinkMessage.Kind.TCP_HINTS, DownlinkMessage::tcpHints);
  }

  Optional<TcpHints> last(HostId host) {
    List<TcpHints> all = all(node(), host);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  /** The hints that a host was sent last. */
  List<PrefixHint> hints(HostId host) {
    return last(host).map(TcpHints::hints).orElseThrow(() -> new AssertionError("none was sent"));
  }

  /** What the journal says about policies, the latest first. */
  List<String> journal() {
    List<String> found = new ArrayList<>();
    for (JournalEntry entry : node().journal.entries(-1, Optional.empty(), 1000)) {
      if (entry.kind() == JournalEntry.Kind.POLICY) {
        found.add(entry.decision() + ": " + entry.evidence());
      }
    }
    return found;
  }
}
