// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.peerKey;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowDecision;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.testing.FakeLink.Sent;
import org.sluice.core.testing.MemoryCluster;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/**
 * Whole nodes control one network: two switches with 50 Mbit/s between them, host h1 at the one and
 * h5 at the other, of tenant red. The first node leads and is the master of both switches. Agents
 * connect to every node, also to one that is cut off from the cluster.
 */
final class ClusteredNetwork {
  static final HostId H1 = HostId.of("h1");
  static final HostId H5 = HostId.of("h5");
  static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  static final TenantId RED = TenantId.of("red");
  static final long MILLI = 1_000_000;
  private static final List<HostHello> HELLOS =
      List.of(
          hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1"))
              .withPeerPublicKey(peerKey(1)),
          hello("h5", endpoint("h5/vm0", "02:00:00:00:01:05", "10.0.0.5")));
  private static final long PERIOD_NANOS = 5_000_000;

  /** What agents take from any node, the latest term's alone. */
  private static final Set<Kind> OF_THE_LEADER =
      EnumSet.of(Kind.PROFILES, Kind.SETTINGS, Kind.PEER_AUTHORITY, Kind.TCP_HINTS);

  final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  final MemoryCluster cluster = network.cluster;

  /** Those that are alive, by name. */
  final Map<String, MemoryNode> nodes = new LinkedHashMap<>();

  /** What the leader of a term before sent to an agent that had received a later one's. */
  final List<String> stale = new ArrayList<>();

  /** By host and kind: the latest message, and who sent it. */
  private final Map<List<Object>, Sent> latest = new HashMap<>();

  private final Map<List<Object>, String> senders = new HashMap<>();

  /** What operators set on every node: names and values in turn. */
  private final Object[] settings;

  /** One that no node controls yet. */
  ClusteredNetwork(Object... settings) {
    this.settings = settings;
    network.setCapacity("s1/5", 50_000_000);
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
  }

  /** The nodes start, one after the other; tenant red is made. */
  ClusteredNetwork start(String... names) {
    setMaster(names[0]);
    for (String name : names) {
      join(name);
      pass(100);
    }
    put(names[0], 1);
    pass(10);
    return this;
  }

  MemoryNode join(String name) {
    return join(name, 0);
  }

  /** A node starts with its clock so far ahead of the others', and every agent connects to it. */
  MemoryNode join(String name, long aheadMillis) {
    MemoryNode node = new MemoryNode(network, name).setClockAheadMillis(aheadMillis).set(settings);
    node.link.whenSent = message -> sent(name, message);
    node.start();
    nodes.put(name, node);
    HELLOS.forEach(node.link::connect);
    pass(10);
    return node;
  }

  private void sent(String node, Sent message) {
    List<Object> subject = List.of(message.host, message.message.kind());
    Sent before = latest.get(subject);
    boolean isOther = before != null && !node.equals(senders.get(subject));
    if (OF_THE_LEADER.contains(message.message.kind())
        && before != null
        && (message.term < before.term || isOther && message.term == before.term)) {
      stale.add(node + " after term " + before.term + ": " + message);
    } else {
      latest.put(subject, message);
      senders.put(subject, node);
    }
  }

  /** The node whose message of a kind h1 received last, of the latest term. */
  String senderOf(Kind kind) {
    return senders.get(List.of(H1, kind));
  }

  /** A node is stopped: it gives its roles up itself. */
  void stop(String name) {
    nodes.remove(name).stop();
    pass(10);
  }

  /** A node's machine fails. */
  void die(String name) {
    nodes.remove(name).die();
  }

  void setMaster(String node) {
    network.setMaster("s1", node);
    network.setMaster("s2", node);
  }

  void pass(long millis) {
    network.time.advanceMillis(millis);
  }

  /** So many control periods in which both hosts report traffic, half of it marked. */
  void marked(int periods) {
    for (int i = 0; i < periods; i++) {
      report(H1, PairSample.of(IP1, IP5, 100, 150_000, 0, 0, 0));
      report(H5, PairSample.of(IP1, IP5, 0, 0, 100, 150_000, 50));
      network.time.advanceNanos(PERIOD_NANOS);
    }
  }

  private void report(HostId host, PairSample pair) {
    UplinkMessage message =
        UplinkMessage.ofObservation(
            HostObservation.of(
                host, network.time.nanoTime(), PERIOD_NANOS, List.of(pair), List.of()));
    nodes.values().forEach(node -> node.link.report(message));
  }

  /** Tenant red gets another weight, by way of a node. */
  void put(String node, double weight) {
    try {
      tryToPut(node, weight);
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  void tryToPut(String node, double weight) throws SluiceException {
    nodes
        .get(node)
        .controller()
        .tenants()
        .put(
            Tenant.builder(RED)
                .weight(weight)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.0/24"))))
                .build());
  }

  double weight(String node) {
    return nodes.get(node).controller().tenants().tenant(RED).orElseThrow().weight();
  }

  /**
   * Of the flow from h1 to h5 with this source port. It begins late, since promises that are not
   * used are revoked.
   */
  FlowDecision register(String node, int sourcePort, long bytes, long dueMillis)
      throws SluiceException {
    FlowKey key = FlowKey.of(IP1, sourcePort, IP5, 5001);
    return nodes
        .get(node)
        .controller()
        .flows()
        .register(
            DeadlineRequest.of(key, bytes, dueMillis * MILLI, false)
                .beginningIn(dueMillis / 5 * MILLI));
  }

  /** What a node shows of flows that have not ended, by number. */
  Map<Long, FlowStatus> flows(String node) throws SluiceException {
    return nodes.get(node).controller().flows().flows().stream()
        .filter(flow -> !flow.state().isEnded())
        .collect(Collectors.toMap(FlowStatus::id, flow -> flow));
  }

  /** The terms of what a node sent of a kind, each once, in their order. */
  static List<Long> terms(MemoryNode node, Kind kind) {
    return node.link.sent.stream()
        .filter(sent -> sent.message.kind() == kind)
        .map(sent -> sent.term)
        .distinct()
        .collect(Collectors.toList());
  }

  static List<Integer> keyIds(MemoryNode node) {
    return node.link.sentTo(H1, Kind.PEER_AUTHORITY, DownlinkMessage::peerAuthority).stream()
        .map(keys -> keys.get(0).id())
        .collect(Collectors.toList());
  }

  /** The unit share of the bottleneck that a node sent h1 last, bit/s. */
  static double lastShare(MemoryNode node) {
    return node.link.listedTo(H1, Kind.UNIT_SHARES, DownlinkMessage::unitShares).stream()
        .filter(share -> share.port().equals(port("s1/5")))
        .reduce((a, b) -> b)
        .orElseThrow()
        .unitShareBitsPerSecond();
  }
}
