// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.SwitchPort;
import org.sluice.forwarding.frame.Frames;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.PacketIn;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.SwitchEvents;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.forwarding.testing.FabricUnderTest;
import org.sluice.forwarding.testing.NodeUnderTest;

/** What the interfaces of a platform promise, each by itself: nothing else uses its switches. */
public abstract class PlatformConformance {
  private static final String S1 = datapath("s1");
  private static final String MAC = "02:00:00:00:01:01";
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");

  private final NodeUnderTest node;
  private final FabricUnderTest fabric;
  private ForwardingPlatform platform;

  protected PlatformConformance(NodeUnderTest node) {
    this.node = node;
    fabric = node.fabric();
  }

  @BeforeEach
  void start() {
    fabric.connect("s1", 1, 2, 5);
    fabric.connect("s2", 1, 5);
    platform = node.platform();
    fabric.until(() -> assertThat(platform.mastership().isLocal(S1)).isTrue());
  }

  @AfterEach
  void stop() {
    fabric.close();
  }

  private static Rule rule(String destination, Treatment treatment) {
    Match match = Match.builder().ethType(0x0800).ipDst(IpAddress.parse(destination)).build();
    return Rule.of(Rule.Key.of(S1, 1, 100, match), treatment);
  }

  private void apply(Rule... rules) {
    platform.rules().apply(List.of(rules), List.of());
  }

  private Optional<? extends RuleTable.Entry> entry(Rule rule) {
    return platform.rules().entries(S1).stream()
        .filter(entry -> entry.key().equals(Optional.of(rule.key())))
        .findFirst();
  }

  private void untilStateIs(Rule rule, RuleTable.State state) {
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(entry(rule).map(RuleTable.Entry::state)).isEqualTo(Optional.of(state));
        });
  }

  /** At the latest once the switches have been polled. */
  private void assertAdvances(Epoch epoch, Runnable change) {
    long before = epoch.get();
    change.run();
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(epoch.get()).isGreaterThan(before);
        });
  }

  @Test
  void rulesAreConfirmedReplacedAndTakenBack() {
    Rule first = rule("10.0.0.1", Treatment.output(1));
    Rule other = rule("10.0.0.1", Treatment.output(2));
    apply(first);
    untilStateIs(first, RuleTable.State.CONFIRMED);
    assertThat(entry(first).orElseThrow().treatment()).contains(first.treatment());

    apply(other);
    fabric.until(
        () ->
            assertThat(fabric.tables().rules("s1"))
                .containsExactly("1/00100 ipv4, dst=10.0.0.1 -> output:2"));
    assertThat(platform.rules().cookie(other)).isEqualTo(platform.rules().cookie(first));

    platform.rules().apply(List.of(), List.of(entry(other).orElseThrow()));
    fabric.until(() -> assertThat(fabric.tables().rules("s1")).isEmpty());
    apply(first);
    fabric.until(() -> assertThat(fabric.tables().rules("s1")).hasSize(1));
    platform.rules().removeAll();
    fabric.until(() -> assertThat(fabric.tables().rules("s1")).isEmpty());
  }

  @Test
  void ruleOfAnAbsentMeterIsRefused() {
    Rule rule = rule("10.0.0.1", Treatment.builder().meter(77).gotoTable(1).build());
    apply(rule);
    fabric.until(() -> assertThat(fabric.tables().refused()).isPositive());
    assertThat(fabric.tables().rules("s1")).isEmpty();
    assertThat(entry(rule).map(RuleTable.Entry::state))
        .isNotEqualTo(Optional.of(RuleTable.State.CONFIRMED));
  }

  @Test
  void rulesThatThePlatformHasForgottenAreTakenBack() {
    Rule rule = rule("10.0.0.1", Treatment.output(1));
    apply(rule);
    fabric.until(() -> assertThat(fabric.tables().rules("s1")).hasSize(1));
    fabric.tables().forgetStoredRules();
    assertThat(entry(rule)).isEmpty();

    CompletableFuture<Boolean> removed = platform.rules().removeUnknown(List.of(rule));

    fabric.until(() -> assertThat(removed).isCompletedWithValue(true));
    assertThat(fabric.tables().rules("s1")).isEmpty();
  }

  @Test
  void metersAreConfirmedChangedInPlaceAndTakenBack() {
    List<Long> made = new ArrayList<>();
    assertAdvances(
        platform.meters().epoch(),
        () -> made.add(platform.meters().add(S1, 7_000, 2_000, refused -> {})));
    long id = made.get(0);
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(platform.meters().meters(S1))
              .singleElement()
              .matches(meter -> meter.id() == id)
              .matches(Meter::isConfirmed);
        });

    assertThat(platform.meters().change(S1, id, 5_000, 2_000)).isTrue();

    fabric.until(() -> assertThat(fabric.tables().meterRates("s1")).containsExactly(5_000L));
    assertThat(platform.meters().meters(S1).iterator().next().kilobitsPerSecond())
        .as("with which it was made")
        .isEqualTo(7_000);
    platform.meters().remove(S1, id);
    fabric.until(() -> assertThat(fabric.tables().meterCount("s1")).isZero());
    fabric.until(() -> assertThat(platform.meters().meters(S1)).isEmpty());
  }

  @Test
  void refusedMetersAreReported() {
    List<String> reasons = new CopyOnWriteArrayList<>();
    fabric.tables().setMeterSpace("s1", 1);
    long id = platform.meters().add(S1, 7_000, 2_000, reasons::add);
    fabric.until(() -> assertThat(fabric.tables().meterCount("s1")).isEqualTo(1));
    assertThat(reasons).isEmpty();
    platform.meters().add(S1, 7_000, 2_000, reasons::add);
    fabric.until(() -> assertThat(reasons).hasSize(1));

    List<Long> unchanged = new CopyOnWriteArrayList<>();
    platform.meters().setRefusalListener((datapath, meter) -> unchanged.add(meter));
    fabric.tables().loseMeter("s1", id);
    platform.meters().change(S1, id, 5_000, 2_000);
    fabric.until(() -> assertThat(unchanged).containsExactly(id));

    fabric.tables().setMeterSpace("s2", 0);
    assertThatThrownBy(() -> platform.meters().add(datapath("s2"), 7_000, 2_000, reasons::add))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  void metersOfAnotherMastersSwitchAreNotChanged() {
    long id = platform.meters().add(S1, 7_000, 2_000, refused -> {});
    fabric.until(() -> assertThat(fabric.tables().meterCount("s1")).isEqualTo(1));
    fabric.loseMastership("s1");
    assertThat(platform.meters().change(S1, id, 5_000, 2_000)).isFalse();
    assertThat(fabric.tables().meterRates("s1")).containsExactly(7_000L);
  }

  @Test
  void groupsAreConfirmedAndTakenBack() {
    assertAdvances(
        platform.groups().epoch(), () -> platform.groups().add(S1, "both", List.of(1L, 2L)));
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(platform.groups().group(S1, "both")).matches(g -> g.isPresent());
          assertThat(platform.groups().groups(S1)).allMatch(Group::isConfirmed).hasSize(1);
        });
    long id = platform.groups().group(S1, "both").orElseThrow().id();
    Rule rule = rule("10.0.0.1", Treatment.builder().group(id).build());
    apply(rule);
    untilStateIs(rule, RuleTable.State.CONFIRMED);
    assertThat(fabric.tables().refused()).isZero();

    platform.groups().remove(S1, "both");

    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(platform.groups().groups(S1)).isEmpty();
        });
  }

  @Test
  void packetsReachListenersByStageUntilOneTakesThem() {
    List<String> received = new CopyOnWriteArrayList<>();
    boolean[] taken = new boolean[1];
    byte[] frame = Frames.packet(MAC, "10.0.0.1", "10.0.0.5");
    PacketIn.Listener unknown =
        packet -> {
          received.add("unknown " + packet.port());
          return true;
        };
    PacketIn.Listener copies =
        packet -> {
          assertThat(Arrays.equals(packet.frame(), frame)).isTrue();
          received.add("copies " + packet.port());
          return taken[0];
        };
    platform.packetIn().addListener(PacketIn.Stage.UNKNOWN, unknown);
    platform.packetIn().addListener(PacketIn.Stage.COPIES, copies);

    fabric.receive("s1/1", frame);
    taken[0] = true;
    fabric.receive("s1/2", frame);
    platform.packetIn().removeListener(copies);
    platform.packetIn().removeListener(unknown);
    fabric.receive("s1/1", frame);

    assertThat(received)
        .containsExactly(
            "copies " + port("s1/1"), "unknown " + port("s1/1"), "copies " + port("s1/2"));
  }

  @Test
  void framesLeaveByThePortNamed() {
    byte[] frame = Frames.packet(MAC, "10.0.0.1", "10.0.0.5");
    platform.packetOut().emit(port("s2/1"), frame);
    fabric.until(() -> assertThat(fabric.emittedAt("s2/1")).containsExactly(frame));
  }

  @Test
  void switchesComeAndGo() {
    List<String> events = new CopyOnWriteArrayList<>();
    SwitchEvents.Listener listener =
        new SwitchEvents.Listener() {
          @Override
          public void returned(String datapath) {
            events.add("returned " + datapath);
          }

          @Override
          public void gone(String datapath) {
            events.add("gone " + datapath);
          }

          @Override
          public void masterChanged(String datapath) {
            // Seen by mastership.
          }
        };
    platform.switchEvents().addListener(listener);
    assertThat(platform.switches().connected()).containsOnly(S1, datapath("s2"));
    assertThat(platform.switches().ports(S1))
        .extracting(SwitchPort::id)
        .containsOnly(port("s1/1"), port("s1/2"), port("s1/5"));

    assertAdvances(platform.switches().epoch(), () -> fabric.disconnect("s1"));
    fabric.until(() -> assertThat(events).contains("gone " + S1));
    assertThat(platform.switches().isConnected(S1)).isFalse();
    assertThat(platform.switches().connected()).containsOnly(datapath("s2"));

    assertAdvances(platform.switches().epoch(), () -> fabric.connect("s1"));
    fabric.until(() -> assertThat(events).contains("returned " + S1));
    assertThat(platform.switches().isConnected(S1)).isTrue();
    assertThat(platform.switches().hasPort(port("s1/5"))).isTrue();
    assertThat(platform.switches().hasPort(port("s1/9"))).isFalse();
    platform.switchEvents().removeListener(listener);
  }

  @Test
  void takeoversAreNumbered() {
    long before = platform.mastership().takeover(S1);
    assertAdvances(platform.mastership().epoch(), () -> fabric.loseMastership("s1"));
    assertThat(platform.mastership().isLocal(S1)).isFalse();
    assertThat(platform.mastership().masterOf(S1)).isPresent();
    assertThat(platform.mastership().isLocal(datapath("s2"))).isTrue();

    fabric.gainMastership("s1");

    fabric.until(() -> assertThat(platform.mastership().isLocal(S1)).isTrue());
    assertThat(platform.mastership().masterOf(S1)).contains(platform.nodes().local());
    assertThat(platform.nodes().all()).contains(platform.nodes().local());
    assertThat(platform.mastership().takeover(S1)).isNotEqualTo(before);
  }

  @Test
  void bothDirectionsOfALinkAreDiscovered() {
    assertAdvances(platform.links().epoch(), () -> fabric.link("s1/5", "s2/5"));
    fabric.until(
        () ->
            assertThat(platform.links().links())
                .containsOnly(
                    Link.of(port("s1/5"), port("s2/5")), Link.of(port("s2/5"), port("s1/5"))));
  }

  @Test
  void sightingsAreReportedAndLocated() {
    List<HostSightings.Sighting> seen = new CopyOnWriteArrayList<>();
    HostSightings.Listener listener =
        new HostSightings.Listener() {
          @Override
          public void seen(HostSightings.Sighting sighting) {
            seen.add(sighting);
          }

          @Override
          public void gone(HostSightings.Sighting sighting) {
            // None goes here.
          }
        };
    platform.hostSightings().addListener(listener);
    fabric.seen(MAC, "s1/1", "10.0.0.1");
    fabric.seen(MAC, "s2/1", "10.0.0.1");
    fabric.until(
        () ->
            assertThat(seen)
                .extracting(HostSightings.Sighting::port)
                .containsExactly(port("s1/1"), port("s2/1")));
    assertThat(platform.hostSightings().locate(MacAddress.parse(MAC))).contains(port("s2/1"));
    assertThat(platform.hostSightings().macOf(IP)).contains(MacAddress.parse(MAC));
    platform.hostSightings().removeListener(listener);
  }

  @Test
  void mapsAreVersioned() {
    ReplicatedMap map = platform.storage().map("sluice-conformance");
    List<String> changes = new CopyOnWriteArrayList<>();
    ReplicatedMap.Listener listener =
        (key, before, now) ->
            changes.add(
                before.map(ReplicatedMap.Versioned::value).orElse("-")
                    + ">"
                    + now.map(ReplicatedMap.Versioned::value).orElse("-"));
    map.addListener(listener);
    assertThat(map.putIfAbsent("a", "1")).isTrue();
    assertThat(map.putIfAbsent("a", "2")).isFalse();
    long first = map.get("a").orElseThrow().version();
    assertThat(first).isPositive();
    map.put("b", "1");
    assertThat(map.get("b").orElseThrow().version()).isGreaterThan(first);
    assertThat(map.replace("a", first, "2")).isTrue();
    assertThat(map.replace("a", first, "3")).isFalse();
    assertThat(map.get("a").orElseThrow().version()).isGreaterThan(first);
    assertThat(map.remove("a", first)).isFalse();
    assertThat(platform.storage().map("sluice-conformance").entries()).containsOnlyKeys("a", "b");
    map.remove("a");
    map.clear();
    assertThat(map.entries()).isEmpty();
    fabric.until(() -> assertThat(changes).containsExactly("->1", "->1", "1>2", "2>-", "1>-"));
    map.removeListener(listener);
    map.remove("a");
    assertThat(map.get("a")).isEmpty();
  }

  @Test
  void attachmentsAreKept() {
    assertAdvances(
        platform.attachmentStore().epoch(), () -> platform.attachmentStore().put(IP, port("s1/1")));
    platform.attachmentStore().put(IP, port("s2/1"));
    assertThat(platform.attachmentStore().get(IP)).contains(port("s2/1"));
    platform.attachmentStore().remove(IP, port("s1/1"));
    assertThat(platform.attachmentStore().all()).containsEntry(IP, port("s2/1"));
    platform.attachmentStore().remove(IP, port("s2/1"));
    assertThat(platform.attachmentStore().get(IP)).isEmpty();
  }
}
