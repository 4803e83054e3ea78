// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.DownlinkMessage.Kind;
import org.sluice.api.link.LinkKey;
import org.sluice.api.link.Notice;
import org.sluice.core.registry.EndpointLocations;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** How notices reach hosts: what leaves a switch's port, and what the link. */
class NoticeDispatcherTest {
  private static final PortId BOTTLENECK = port("s1/5");
  private static final PortId OTHER_PORT = port("s2/5");
  private static final HostId H1 = HostId.of("h1");
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final int IPV4 = 0x0800;
  private static final int HEADERS = 14 + 20;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final RegistryFixture registry =
      new RegistryFixture(node.link, node.journal, network.time);
  private final EndpointLocations locations = registry.locations(network, node);
  private final NoticeDispatcher notices =
      new NoticeDispatcher(
          node.settings,
          node.link,
          registry.endpoints,
          locations,
          node,
          node.journal,
          network.time,
          network.time::wallMillis);

  @BeforeEach
  void start() {
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    network.seen(MAC1, "s1/1", "10.0.0.1");
    locations.start();
    notices.start();
    connect();
  }

  private void connect() {
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1", "fd00::1")));
    pass();
  }

  /** Lets the dispatcher's thread do what there is. */
  private void pass() {
    network.time.advanceMillis(1);
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

  private void send(Notice... all) {
    notices.send(H1, 7, List.of(all));
    pass();
  }

  /** Packets that left a port. */
  private List<byte[]> left(String at) {
    return node.emitted.stream()
        .filter(emitted -> emitted.port.equals(port(at)))
        .map(emitted -> emitted.frame)
        .collect(Collectors.toList());
  }

  private static int protocol(byte[] frame) {
    boolean isIpv4 = ByteBuffer.wrap(frame).getShort(12) == IPV4;
    return (isIpv4 ? frame[14 + 9] : frame[14 + 6]) & 0xff;
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

  /** The oldest first. */
  private List<String> journal() {
    List<String> texts =
        node.journal.entries(-1, Optional.empty(), 100).stream()
            .filter(entry -> entry.kind() == JournalEntry.Kind.NOTICE)
            .map(JournalEntry::decision)
            .collect(Collectors.toCollection(ArrayList::new));
    Collections.reverse(texts);
    return texts;
  }

  private void inBand() {
    node.set("notices", "in-band");
    pass();
    assertThat(keys()).hasSize(1);
  }

  @Test
  void noticesTravelByTheLinkByDefault() {
    send(notice("10.0.0.5"));

    assertThat(byLink()).containsExactly(notice("10.0.0.5"));
    assertThat(left("s1/1")).isEmpty();
    assertThat(keys()).isEmpty();
  }

  @Test
  void inBandNoticesAreSignedAndLeaveThePortOfTheirEndpoint() throws Exception {
    inBand();

    send(notice("10.0.0.5", "10.0.0.6"));

    assertThat(left("s1/1")).hasSize(1);
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
  void sdnGccFormatHasTwoBytesAndNoKey() {
    node.set("noticeFormat", "sdn-gcc", "noticeProtocol", 254, "notices", "in-band");
    pass();

    send(notice("fd00::5"));

    assertThat(left("s1/1")).hasSize(1);
    byte[] frame = left("s1/1").get(0);
    assertThat(frame).hasSize(14 + 40 + 2);
    assertThat(protocol(frame)).isEqualTo(254);
    assertThat(Arrays.copyOfRange(frame, 54, 56)).isEqualTo(new byte[] {0, 3});
    assertThat(keys()).isEmpty();
  }

  @Test
  void switchOfAnotherMasterIsReachedByTheLink() {
    inBand();
    network.setMaster("s1", "n2");

    send(notice("10.0.0.5"));
    assertThat(byLink()).hasSize(1);
    send(notice("10.0.0.5"), at(OTHER_PORT, notice("10.0.0.5")));

    assertThat(byLink()).hasSize(3);
    assertThat(noticeMessages()).hasSize(2).allMatch(sent -> sent.term == 7);
    assertThat(left("s1/1")).isEmpty();
    assertThat(journal()).hasSize(1);
    assertThat(journal().get(0)).contains("by the link", "not the master of of:0000000000000001");
  }

  @Test
  void returnToInBandIsJournaledAtALimitedRate() {
    inBand();
    send(notice("10.0.0.5"));
    assertThat(journal()).isEmpty();

    network.setMaster("s1", "n2");
    send(notice("10.0.0.5"));
    network.setMaster("s1", "n1");
    send(notice("10.0.0.5"));
    assertThat(left("s1/1")).hasSize(2);
    assertThat(journal()).hasSize(1);

    network.time.advanceNanos(LinkFallbacks.QUIET_NANOS);
    send(notice("10.0.0.5"));
    send(notice("10.0.0.5"));
    assertThat(journal()).hasSize(2);
    assertThat(journal().get(1)).isEqualTo("Notices go in band again");
  }

  @Test
  void endpointWithoutAttachmentIsReachedByTheLink() {
    inBand();
    node.link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:01:02", "10.0.0.2")));
    Notice lost =
        Notice.of(
            BOTTLENECK, endpointId("h2/vm0"), 1, 1000, 1, 1, Set.of(IpAddress.parse("10.0.0.5")));

    notices.send(HostId.of("h2"), 7, List.of(lost));
    pass();

    assertThat(byLink()).containsExactly(lost);
    assertThat(journal().get(0)).contains("port is unknown");
  }

  @Test
  void oversizedNoticeTravelsByTheLinkAndOthersInBand() {
    inBand();
    String[] many = new String[33];
    Arrays.setAll(many, i -> "10.0.1." + (i + 1));

    send(notice("10.0.0.5"), at(OTHER_PORT, notice(many)));

    assertThat(byLink()).containsExactly(at(OTHER_PORT, notice(many)));
    assertThat(left("s1/1")).hasSize(1);
    assertThat(journal().get(0)).contains("33 destinations");
  }

  /** What happens during the first packet that is sent, which is slow. */
  private void duringTheNextPacket(Runnable action) {
    node.beforeEmitting =
        () -> {
          node.beforeEmitting = () -> {};
          action.run();
        };
  }

  @Test
  void noticesDuringSlowPacketOutAreMergedIntoOnePacket() {
    inBand();
    duringTheNextPacket(
        () -> {
          for (int i = 0; i < 300; i++) {
            notices.send(H1, 7, List.of(notice("10.0.0.5")));
            network.time.advanceMillis(1);
          }
        });

    send(notice("10.0.0.5"));

    assertThat(left("s1/1")).hasSize(2);
    ByteBuffer merged = ByteBuffer.wrap(left("s1/1").get(1));
    assertThat(merged.getInt(HEADERS + 12)).isEqualTo(300 * 5000);
    assertThat(merged.getDouble(HEADERS + 40)).isEqualTo(300 * 2.5);
    assertThat(merged.getDouble(HEADERS + 48)).isEqualTo(300 * 40);
    assertThat(byLink()).isEmpty();
  }

  @Test
  void noticesTravelByTheLinkWhilePacketOutIsStuck() {
    inBand();
    duringTheNextPacket(
        () -> {
          send(notice("10.0.0.5"));
          network.time.advanceNanos(WaitingNotices.LONG_NANOS);
          send(notice("10.0.0.6"));
        });

    send(notice("10.0.0.4"));

    assertThat(byLink()).containsExactly(notice("10.0.0.6"));
    assertThat(left("s1/1")).hasSize(2);
    assertThat(journal().get(0)).contains("no packet could be sent for a second");
  }

  @Test
  void packetRefusedByThePlatformTravelsByTheLink() {
    inBand();
    duringTheNextPacket(
        () -> {
          throw new IllegalStateException("no more packets");
        });

    send(notice("10.0.0.5"));

    assertThat(byLink()).containsExactly(notice("10.0.0.5"));
    assertThat(journal().get(0)).contains("refused the packet: no more packets");
    send(notice("10.0.0.5"));
    assertThat(left("s1/1")).hasSize(1);
  }

  @Test
  void disconnectedSwitchIsNotUsed() {
    inBand();
    network.disconnect("s1");

    send(notice("10.0.0.5"));

    assertThat(byLink()).hasSize(1);
    assertThat(left("s1/1")).isEmpty();
  }

  @Test
  void noticesTravelByTheLinkWithForwardingOther() {
    inBand();
    node.set("forwarding", "other");

    send(notice("10.0.0.5"));

    assertThat(byLink()).hasSize(1);
    assertThat(left("s1/1")).isEmpty();
    assertThat(journal()).isEmpty();
  }

  @Test
  void noticesTravelByTheLinkWhileAnotherForwarderIsActive() {
    inBand();
    network.setForwarding(false, false);

    send(notice("10.0.0.5"));

    assertThat(byLink()).hasSize(1);
    assertThat(left("s1/1")).isEmpty();
    assertThat(journal()).containsExactly("Notices go by the link: Sluice does not forward here");
  }

  @Test
  void disconnectedHostIsSentNoPackets() {
    inBand();
    node.link.disconnect(H1);

    send(notice("10.0.0.5"));

    assertThat(byLink()).hasSize(1);
    assertThat(left("s1/1")).isEmpty();
  }

  @Test
  void eachSessionHasItsOwnKey() {
    inBand();
    connect();

    assertThat(keys()).hasSize(2);
    assertThat(keys().get(1).id()).isGreaterThan(keys().get(0).id());
    assertThat(keys().get(1).secret()).hasSize(32).isNotEqualTo(keys().get(0).secret());
    send(notice("10.0.0.5"));
    assertThat(left("s1/1")).hasSize(1);
    assertThat(ByteBuffer.wrap(left("s1/1").get(0)).getInt(HEADERS + 4))
        .isEqualTo(keys().get(1).id());
  }

  @Test
  void keysRotateEveryHour() {
    inBand();
    network.time.advanceMillis(TimeUnit.MINUTES.toMillis(59));
    assertThat(keys()).hasSize(1);

    network.time.advanceMillis(TimeUnit.MINUTES.toMillis(1));

    assertThat(keys()).hasSize(2);
    assertThat(keys().get(1).id()).isGreaterThan(keys().get(0).id());
    node.set("notices", "link");
    network.time.advanceMillis(TimeUnit.HOURS.toMillis(2));
    assertThat(keys()).hasSize(2);
  }

  @Test
  void stoppedDispatcherSendsNoKeys() {
    inBand();
    notices.stop();

    connect();
    network.time.advanceMillis(TimeUnit.HOURS.toMillis(2));

    assertThat(keys()).hasSize(1);
  }
}
