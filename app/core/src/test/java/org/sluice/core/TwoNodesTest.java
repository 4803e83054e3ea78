// SPDX-License-Identifier: Apache-2.0
package org.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.peerKey;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.setting.Topics;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Two whole nodes control one network: one dies, or switches change their master. */
class TwoNodesTest {
  private static final HostId H1 = HostId.of("h1");
  private static final HostId H5 = HostId.of("h5");
  private static final IpAddress IP1 = IpAddress.parse("10.0.0.1");
  private static final IpAddress IP5 = IpAddress.parse("10.0.0.5");
  private static final TenantId RED = TenantId.of("red");
  private static final List<HostHello> HELLOS =
      List.of(
          hello("h1", endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1"))
              .withPeerPublicKey(peerKey(1)),
          hello("h5", endpoint("h5/vm0", "02:00:00:00:01:05", "10.0.0.5")));
  private static final long PERIOD_NANOS = 5_000_000;
  private static final long MILLI = 1_000_000;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final List<MemoryNode> nodes = new ArrayList<>();
  private MemoryNode first;
  private MemoryNode second;

  @BeforeEach
  void start() throws Exception {
    network.setCapacity("s1/5", 50_000_000);
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    network.seen("02:00:00:00:01:01", "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:01:05", "s2/1", "10.0.0.5");
    first = join("n1");
    network.time.advanceMillis(100);
    second = join("n2");
    first
        .controller()
        .tenants()
        .put(
            Tenant.builder(RED)
                .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.0/24"))))
                .build());
    network.time.advanceMillis(10);
  }

  /** Every agent connects to every node. */
  private MemoryNode join(String name) {
    MemoryNode node = new MemoryNode(network, name).start();
    nodes.add(node);
    HELLOS.forEach(node.link::connect);
    network.time.advanceMillis(10);
    return node;
  }

  private void stop(MemoryNode dead) {
    nodes.remove(dead);
    dead.stop();
    network.time.advanceMillis(10);
  }

  private void setMaster(String node) {
    network.setMaster("s1", node);
    network.setMaster("s2", node);
  }

  /** So many control periods in which both hosts report traffic, half of it marked. */
  private void marked(int periods) {
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
    nodes.forEach(node -> node.link.report(message));
  }

  /** The terms of what a node sent of a kind, each once, in their order. */
  private static List<Long> terms(MemoryNode node, Kind kind) {
    return node.link.sent.stream()
        .filter(sent -> sent.message.kind() == kind)
        .map(sent -> sent.term)
        .distinct()
        .collect(Collectors.toList());
  }

  private static List<Integer> keyIds(MemoryNode node) {
    return node.link.sentTo(H1, Kind.PEER_AUTHORITY, DownlinkMessage::peerAuthority).stream()
        .map(keys -> keys.get(0).id())
        .collect(Collectors.toList());
  }

  private static DeadlineRequest request(int sourcePort, long bytes, long dueMillis) {
    return DeadlineRequest.of(
        FlowKey.of(IP1, sourcePort, IP5, 5001), bytes, dueMillis * MILLI, false);
  }

  private static FlowDecision register(MemoryNode at, DeadlineRequest request)
      throws SluiceException {
    return at.controller().flows().register(request);
  }

  @Test
  void onlyTheLeaderPublishes() {
    network.time.advanceMillis(10_000);
    assertThat(terms(first, Kind.PROFILES)).hasSize(1);
    assertThat(terms(first, Kind.SETTINGS)).hasSize(1);
    assertThat(second.link.sent).isEmpty();
  }

  @Test
  void newLeaderPublishesTheSameStateInAHigherTerm() {
    assertThat(network.leaderOf(Topics.CLUSTER)).contains("n1");
    stop(first);
    setMaster("n2");
    network.time.advanceMillis(10);

    assertThat(network.leaderOf(Topics.CLUSTER)).contains("n2");
    for (Kind kind : List.of(Kind.PROFILES, Kind.SETTINGS, Kind.PEER_AUTHORITY)) {
      assertThat(terms(second, kind)).hasSize(1);
      assertThat(terms(second, kind).get(0)).isGreaterThan(terms(first, kind).get(0));
    }
    assertThat(keyIds(second)).isEqualTo(keyIds(first));
    List<DownlinkMessage> before = profiles(first);
    assertThat(profiles(second)).containsExactly(before.get(before.size() - 1));
  }

  private static List<DownlinkMessage> profiles(MemoryNode node) {
    return node.link.sentTo(H1, Kind.PROFILES, message -> message);
  }

  @Test
  void registrationsAndAdmissionsSurviveTheLeader() throws Exception {
    FlowStatus made = register(first, request(1, 4_000_000, 1_000)).flow().orElseThrow();
    assertThat(made.tenant()).isEqualTo(RED);
    stop(first);
    setMaster("n2");

    FlowStatus copy = second.controller().flows().flow(made.id()).orElseThrow();
    assertThat(copy.promised()).isTrue();
    assertThat(copy.state()).isEqualTo(FlowState.WAITING);
    assertThat(copy.deadline()).isEqualTo(made.deadline());
    assertThat(copy.tenant()).isEqualTo(RED);
    assertThat(register(second, request(2, 4_000_000, 1_000)).flow()).isEmpty();
    FlowStatus next = register(second, request(2, 1_000, 60_000)).flow().orElseThrow();
    assertThat(next.id()).isGreaterThan(made.id());
  }

  /** Hosts ignore what is of an older term than this node's last one. */
  @Test
  void rejoinedNodePublishesInAHigherTermThanAllBefore() {
    stop(first);
    network.time.advanceMillis(1_000);
    MemoryNode again = join("n1");
    assertThat(again.link.sent).isEmpty();

    stop(second);

    assertThat(terms(again, Kind.PROFILES).get(0))
        .isGreaterThan(terms(second, Kind.PROFILES).get(0));
    assertThat(keyIds(again)).isEqualTo(keyIds(second));
  }

  @Test
  void onlyTheMasterOfASwitchDecidesAboutItsPorts() {
    marked(20);
    assertThat(terms(first, Kind.UNIT_SHARES)).hasSize(1);
    assertThat(terms(second, Kind.UNIT_SHARES)).isEmpty();
  }

  @Test
  void theNewMasterOfASwitchPublishesInAHigherTerm() {
    marked(5);
    long before = terms(first, Kind.UNIT_SHARES).get(0);
    setMaster("n2");
    network.time.advanceMillis(5);
    first.link.sent.clear();

    marked(5);

    assertThat(terms(first, Kind.UNIT_SHARES)).isEmpty();
    List<Long> after = terms(second, Kind.UNIT_SHARES);
    assertThat(after).hasSize(1);
    assertThat(after.get(0)).isGreaterThan(before);

    setMaster("n1");
    network.time.advanceMillis(5);
    marked(5);
    assertThat(terms(first, Kind.UNIT_SHARES))
        .singleElement()
        .satisfies(term -> assertThat(term).isGreaterThan(after.get(0)));
  }

  @Test
  void newMasterReachesTheDecisionsOfTheFailedOne() {
    marked(20);
    double decided = lastShare(first);
    stop(first);
    setMaster("n2");

    marked(20);

    assertThat(lastShare(second)).isBetween(decided * 0.9, decided * 1.1);
  }

  private static double lastShare(MemoryNode node) {
    return node.link.listedTo(H1, Kind.UNIT_SHARES, DownlinkMessage::unitShares).stream()
        .filter(share -> share.port().equals(port("s1/5")))
        .reduce((a, b) -> b)
        .orElseThrow()
        .unitShareBitsPerSecond();
  }

  @Test
  void countersAreReadByTheMaster() {
    String s1 = datapath("s1");
    network.time.advanceMillis(1_000);
    assertThat(first.counters.targets).containsKey(s1);
    assertThat(second.counters.targets).doesNotContainKey(s1);

    stop(first);
    setMaster("n2");
    network.time.advanceMillis(1);

    assertThat(first.counters.targets).isEmpty();
    assertThat(second.counters.targets).containsKey(s1);
  }

  @Test
  void tenantsSetOnOneNodeApplyOnTheOther() throws Exception {
    stop(first);
    assertThat(second.controller().tenants().tenant(RED)).isPresent();
    assertThat(second.controller().endpoints().endpoints())
        .extracting(each -> each.id().host(), each -> each.tenant())
        .containsExactlyInAnyOrder(tuple(H1, RED), tuple(H5, RED));
  }

  @Test
  void newLeaderPublishesOnceStorageIsAvailable() {
    network.storage.setAvailable(false);
    stop(first);
    network.time.advanceMillis(1_000);
    assertThat(second.link.sent).isEmpty();

    network.storage.setAvailable(true);
    network.time.advanceMillis(60_000);

    assertThat(terms(second, Kind.PROFILES)).hasSize(1);
    assertThat(terms(second, Kind.SETTINGS)).isEqualTo(terms(second, Kind.PROFILES));
  }
}
