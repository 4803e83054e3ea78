// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.endpoint;
import static org.sluice.onos.testing.Samples.endpointId;
import static org.sluice.onos.testing.Samples.hello;
import static org.sluice.onos.testing.Waiting.until;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onlab.packet.Ethernet;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.flow.instructions.Instructions;
import org.onosproject.net.packet.OutboundPacket;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.LinkKey;
import org.sluice.api.link.Notice;
import org.sluice.onos.testing.FakeLink;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.Samples;
import org.sluice.onos.testing.SluiceNode;

/** Notices' ways over ONOS's real managers: what leaves a switch's port, and what the link. */
class NoticeDispatcherTest {
  private static final PortId BOTTLENECK = PortId.parse("of:0000000000000001/5");
  private static final PortId OTHER_PORT = PortId.parse("of:0000000000000002/5");
  private static final HostId H1 = HostId.of("h1");
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final int HEADERS = 14 + 20;

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);

  @BeforeEach
  void start() {
    world.switches.connect("s1", 1, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
    node.start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
    until(() -> assertThat(node.forwarding.own()).isTrue());
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1", "fd00::1")));
  }

  @AfterEach
  void stop() {
    node.stop();
    world.close();
  }

  private static Notice notice(String... destinations) {
    Set<IpAddress> ips = new LinkedHashSet<>();
    Arrays.stream(destinations).map(IpAddress::parse).forEach(ips::add);
    return Notice.of(
        BOTTLENECK, endpointId("h1/vm0"), 2.5, 5_000_000, 12_500_000, 50_000_000, ips, 40);
  }

  private static Notice at(PortId port, Notice notice) {
    return Notice.of(
        port,
        notice.endpoint(),
        notice.marks(),
        notice.periodNanos(),
        notice.shareBitsPerSecond(),
        notice.capacityBitsPerSecond(),
        notice.destinations(),
        notice.packets());
  }

  /** Packets that left a port, without those that look for neighbours. */
  private List<byte[]> left(String at) {
    ConnectPoint point = Samples.point(at);
    return world.switches.emitted.stream()
        .filter(packet -> packet.sendThrough().equals(point.deviceId()) && out(packet, point))
        .map(packet -> packet.data().array())
        .filter(frame -> ethertype(frame) != Ethernet.TYPE_ARP && protocol(frame) >= 143)
        .collect(Collectors.toList());
  }

  private static boolean out(OutboundPacket packet, ConnectPoint point) {
    return packet.treatment().immediate().stream()
        .filter(Instructions.OutputInstruction.class::isInstance)
        .anyMatch(i -> ((Instructions.OutputInstruction) i).port().equals(point.port()));
  }

  private static short ethertype(byte[] frame) {
    return ByteBuffer.wrap(frame).getShort(12);
  }

  private static int protocol(byte[] frame) {
    return (ethertype(frame) == Ethernet.TYPE_IPV4 ? frame[14 + 9] : frame[14 + 6]) & 0xff;
  }

  private List<Notice> byLink() {
    return noticeMessages()
        .flatMap(sent -> sent.message.notices().stream())
        .collect(Collectors.toList());
  }

  private Stream<FakeLink.Sent> noticeMessages() {
    return node.link.sent.stream().filter(sent -> sent.message.kind() == Kind.NOTICES);
  }

  private List<LinkKey> keys() {
    return node.link.sentTo(H1, Kind.NOTICE_KEY, DownlinkMessage::noticeKey);
  }

  private List<String> journal() {
    return node.journal.entries(-1, Optional.empty(), 100).stream()
        .filter(entry -> entry.kind() == JournalEntry.Kind.NOTICE)
        .map(entry -> entry.decision())
        .collect(Collectors.toList());
  }

  private void inBand() {
    node.set("notices", "in-band");
    until(() -> assertThat(keys()).hasSize(1));
  }

  @Test
  void byDefaultTheyGoByTheLinkAlone() {
    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));

    assertThat(byLink()).containsExactly(notice("10.0.0.5"));
    assertThat(left("s1/1")).isEmpty();
    assertThat(keys()).isEmpty();
  }

  @Test
  void inBandTheyLeaveThePortOfTheirEndpointSigned() throws Exception {
    inBand();

    node.notices.send(H1, 7, List.of(notice("10.0.0.5", "10.0.0.6")));

    until(() -> assertThat(left("s1/1")).hasSize(1));
    byte[] frame = left("s1/1").get(0);
    ByteBuffer packet = ByteBuffer.wrap(frame);
    assertThat(Arrays.copyOf(frame, 6)).isEqualTo(new byte[] {2, 0, 0, 0, 1, 1});
    assertThat(protocol(frame)).isEqualTo(253);
    assertThat(Arrays.copyOfRange(frame, 26, 30)).isEqualTo(new byte[] {10, 0, 0, 5});
    assertThat(Arrays.copyOfRange(frame, 30, 34)).isEqualTo(new byte[] {10, 0, 0, 1});
    assertThat(packet.getInt(HEADERS + 4)).isEqualTo(keys().get(0).id());
    assertThat(packet.getInt(HEADERS + 8)).isEqualTo(5);
    assertThat(packet.getLong(HEADERS + 32)).isEqualTo(7);
    assertThat(packet.getDouble(HEADERS + 40)).isEqualTo(2.5);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(keys().get(0).secret(), "HmacSHA256"));
    mac.update((byte) 253);
    for (int at : new int[] {26, 30}) {
      mac.update(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1});
      mac.update(frame, at, 4);
    }
    mac.update(frame, HEADERS, frame.length - HEADERS - 16);
    assertThat(Arrays.copyOfRange(frame, frame.length - 16, frame.length))
        .isEqualTo(Arrays.copyOf(mac.doFinal(), 16));
    assertThat(byLink()).isEmpty();
    assertThat(left("s2/1")).isEmpty();
  }

  @Test
  void thePapersHaveTwoBytesAndNoKey() {
    node.set("noticeFormat", "paper");
    node.set("noticeProtocol", 254);
    node.set("notices", "in-band");
    until(
        () -> {
          node.notices.send(H1, 7, List.of(notice("fd00::5")));
          assertThat(left("s1/1")).isNotEmpty();
        });
    byte[] frame = left("s1/1").get(0);

    assertThat(frame).hasSize(14 + 40 + 2);
    assertThat(protocol(frame)).isEqualTo(254);
    assertThat(Arrays.copyOfRange(frame, 54, 56)).isEqualTo(new byte[] {0, 3});
    assertThat(keys()).isEmpty();
  }

  @Test
  void anotherMastersSwitchIsReachedByTheLink() {
    inBand();
    world.loseMastership("s1");

    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));
    until(() -> assertThat(byLink()).hasSize(1));
    node.notices.send(H1, 7, List.of(notice("10.0.0.5"), at(OTHER_PORT, notice("10.0.0.5"))));

    until(() -> assertThat(byLink()).hasSize(3));
    assertThat(noticeMessages()).hasSize(2);
    assertThat(left("s1/1")).isEmpty();
    assertThat(journal()).hasSize(1);
    assertThat(journal().get(0)).contains("by the link", "not the master of of:0000000000000001");
  }

  @Test
  void anEndpointNobodyHasSeenIsReachedByTheLink() {
    inBand();
    node.link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2")));
    Notice lost =
        Notice.of(
            BOTTLENECK, endpointId("h2/vm0"), 1, 1000, 1, 1, Set.of(IpAddress.parse("10.0.0.5")));

    node.notices.send(HostId.of("h2"), 7, List.of(lost));

    until(() -> assertThat(byLink()).containsExactly(lost));
    assertThat(journal().get(0)).contains("not known behind which port");
  }

  @Test
  void oneThatIsTooLongGoesByTheLinkAndTheOthersInBand() {
    inBand();
    String[] many = new String[33];
    Arrays.setAll(many, i -> "10.0.1." + (i + 1));

    node.notices.send(H1, 7, List.of(notice("10.0.0.5"), at(OTHER_PORT, notice(many))));

    until(() -> assertThat(byLink()).containsExactly(at(OTHER_PORT, notice(many))));
    assertThat(left("s1/1")).hasSize(1);
    assertThat(journal().get(0)).contains("33 destinations");
  }

  @Test
  void whatTheEngineSaysWhilePacketsAreSlowBecomesOnePacketAndNoneGoesByTheLink() {
    inBand();
    Semaphore slow = new Semaphore(0);
    world.switches.beforeEmitting = slow::acquireUninterruptibly;
    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));
    until(() -> assertThat(slow.hasQueuedThreads()).isTrue());

    for (int i = 0; i < 300; i++) {
      node.notices.send(H1, 7, List.of(notice("10.0.0.5")));
    }
    slow.release(2);

    until(() -> assertThat(left("s1/1")).hasSize(2));
    slow.release(1000);
    ByteBuffer merged = ByteBuffer.wrap(left("s1/1").get(1));
    assertThat(merged.getInt(HEADERS + 12)).isEqualTo(300 * 5000);
    assertThat(merged.getDouble(HEADERS + 40)).isEqualTo(300 * 2.5);
    assertThat(merged.getDouble(HEADERS + 48)).isEqualTo(300 * 40);
    assertThat(byLink()).isEmpty();
  }

  @Test
  void aSwitchThatIsGoneIsNotAsked() {
    inBand();
    world.switches.disconnect("s1");
    until(() -> assertThat(world.devices.isAvailable(OnosWorld.device("s1"))).isFalse());

    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));

    until(() -> assertThat(byLink()).hasSize(1));
  }

  @Test
  void whereOthersForwardTheyGoByTheLink() {
    inBand();
    node.set("forwarding", "other");

    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));

    assertThat(byLink()).hasSize(1);
    assertThat(left("s1/1")).isEmpty();
  }

  @Test
  void aHostThatIsAwayIsNotSentPackets() {
    inBand();
    node.link.disconnect(H1);

    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));

    until(() -> assertThat(byLink()).hasSize(1));
    assertThat(left("s1/1")).isEmpty();
  }

  @Test
  void everySessionHasAKeyOfItsOwn() {
    inBand();
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));

    until(() -> assertThat(keys()).hasSize(2));
    assertThat(keys().get(1).id()).isGreaterThan(keys().get(0).id());
    assertThat(keys().get(1).secret()).hasSize(32).isNotEqualTo(keys().get(0).secret());
    node.notices.send(H1, 7, List.of(notice("10.0.0.5")));
    until(() -> assertThat(left("s1/1")).hasSize(1));
    assertThat(ByteBuffer.wrap(left("s1/1").get(0)).getInt(HEADERS + 4))
        .isEqualTo(keys().get(1).id());
  }
}
