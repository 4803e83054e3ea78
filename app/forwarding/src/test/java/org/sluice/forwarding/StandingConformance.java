// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.Link;
import org.sluice.forwarding.spi.Match;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.spi.RuleTable;
import org.sluice.forwarding.spi.Treatment;
import org.sluice.forwarding.testing.StandingFabric;
import org.sluice.forwarding.testing.StandingNode;

/**
 * What the interfaces of a platform promise, each by itself, while nothing fails: nothing else uses
 * its switches.
 */
public abstract class StandingConformance {
  protected static final String S1 = datapath("s1");
  protected static final IpAddress IP = IpAddress.parse("10.0.0.1");

  private final StandingNode node;
  private final StandingFabric fabric;
  protected ForwardingPlatform platform;

  protected StandingConformance(StandingNode node) {
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

  protected static Rule rule(String destination, Treatment treatment) {
    Match match = Match.builder().ethType(0x0800).ipDst(IpAddress.parse(destination)).build();
    return Rule.of(Rule.Key.of(S1, 1, 100, match), treatment);
  }

  protected final void apply(Rule... rules) {
    platform.rules().apply(List.of(rules), List.of());
  }

  protected final Optional<? extends RuleTable.Entry> entry(Rule rule) {
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
  protected final void assertAdvances(Epoch epoch, Runnable change) {
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
    fabric.until(() -> assertThat(fabric.tables().meterRates("s1")).isEmpty());
    fabric.until(() -> assertThat(platform.meters().meters(S1)).isEmpty());
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
  void bothDirectionsOfALinkAreDiscovered() {
    assertAdvances(platform.links().epoch(), () -> fabric.link("s1/5", "s2/5"));
    fabric.until(
        () ->
            assertThat(platform.links().links())
                .containsOnly(
                    Link.of(port("s1/5"), port("s2/5")), Link.of(port("s2/5"), port("s1/5"))));
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
