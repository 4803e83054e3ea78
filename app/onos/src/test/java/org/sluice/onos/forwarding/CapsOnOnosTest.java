// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;
import static org.sluice.onos.testing.Waiting.until;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.CapMeter;
import org.sluice.forwarding.pipeline.CapMeterTable;
import org.sluice.forwarding.pipeline.CapRates;
import org.sluice.forwarding.pipeline.CeMeters;
import org.sluice.forwarding.pipeline.EdgeMeters;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** Caps in ONOS's real managers, over simulated switches. */
class CapsOnOnosTest {
  private static final long MEGABIT = 1_000_000;
  private static final long OPEN = CapMeterTable.OPEN_KILOBITS_PER_SECOND / 1000;
  private static final int DSCP = 14;
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC2 = "02:00:00:00:02:01";
  private static final PortId UP = port("s1/5");
  private static final PortId DOWN = port("s2/1");

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);
  private boolean running;
  private int looks;

  @BeforeEach
  void build() {
    world.switches.connect("s1", 1, 2, 5, 6);
    world.switches.connect("s2", 1, 2, 5, 6);
    world.switches.link("s1/5", "s2/5");
  }

  @AfterEach
  void end() {
    if (running) {
      node.stop();
    }
    world.close();
  }

  private void start() {
    node.start();
    running = true;
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    world.hosts.seen(MAC2, "s2/1", "10.0.0.2", "fd00::2");
    until(() -> assertThat(rules("s1", "1/00100")).hasSize(3));
  }

  private static CapMeter cap(PortId up, PortId down, long mbits, String... ips) {
    Set<IpAddress> all = Arrays.stream(ips).map(IpAddress::parse).collect(Collectors.toSet());
    return CapMeter.of(up, down, DSCP, all, mbits * MEGABIT);
  }

  private static CapMeter cap(long mbits) {
    return cap(UP, DOWN, mbits, "10.0.0.2", "fd00::2");
  }

  private void set(CapMeter... meters) {
    node.caps.set(List.of(meters));
  }

  private List<String> rules(String name, String start) {
    return world.switches.rules(name).stream()
        .filter(rule -> rule.startsWith(start))
        .collect(Collectors.toList());
  }

  private List<String> capping(String name) {
    return rules(name, "1/00110");
  }

  /** What the meters of a switch let through that count no marks, Mbit/s, in order. */
  private List<Long> rates(String name) {
    return world.switches.meterRates(name).stream()
        .filter(rate -> rate != CeMeters.RATE_KILOBITS_PER_SECOND)
        .map(rate -> rate / 1000)
        .sorted()
        .collect(Collectors.toList());
  }

  private long meterOf(String rule) {
    return Long.parseLong(rule.replaceAll(".*METER:(\\d+).*", "$1"));
  }

  private void untilCapped(String name, int rules) {
    until(
        () -> {
          world.switches.poll();
          assertThat(capping(name)).hasSize(rules);
        });
  }

  private void untilRatesAre(String name, Long... mbits) {
    until(() -> assertThat(rates(name)).containsExactly(mbits));
  }

  /** Forwarding evaluates everything. */
  private void check() {
    node.set("addressesPerPort", 100 + ++looks);
  }

  private void later(long nanos) {
    node.laterNanos.addAndGet(nanos);
    check();
  }

  @Test
  void rateChangesModifyTheMeter() {
    start();
    set(cap(0));
    untilCapped("s1", 2);
    untilRatesAre("s1", OPEN);
    List<String> before = capping("s1");
    int modifications = world.switches.modifications("s1");

    set(cap(25));
    untilRatesAre("s1", 25L);
    set(cap(0));
    untilRatesAre("s1", OPEN);
    set(cap(1));
    untilRatesAre("s1", 1L);

    assertThat(capping("s1")).isEqualTo(before);
    assertThat(world.switches.modifications("s1")).isEqualTo(modifications);
    assertThat(world.switches.meterBursts("s1")).as("200 ms, and at least").contains(2_000L);
    set(cap(400));
    later(CapRates.CHANGE_NANOS);
    untilRatesAre("s1", 400L);
    assertThat(world.switches.meterBursts("s1")).contains(80_000L);
  }

  @Test
  void meterRemovedByOnosIsReinstalled() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    for (int i = 0; i < 5; i++) {
      world.switches.poll();
    }
    long meter = meterOf(capping("s1").get(0));
    int changes = world.switches.rateChanges("s1");
    check();
    set(cap(40));
    untilRatesAre("s1", 40L);
    assertThat(world.switches.rateChanges("s1")).isEqualTo(changes + 1);

    world.switches.loseMeter("s1", meter);

    until(
        () -> {
          world.switches.poll();
          check();
          assertThat(rates("s1")).containsExactly(40L);
        });
  }

  @Test
  void capsOfACrashedControllerAreOpenedAndRemoved() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    world.switches.disconnect("s1"); // Nobody can open the cap on the way out.
    node.stop();
    world.flows.purgeFlowRules(OnosWorld.device("s1"));
    world.switches.connect("s1");
    assertThat(rates("s1")).as("it limits on").containsExactly(20L);

    node.start();

    untilRatesAre("s1", OPEN);
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1");
    assertThat(capping("s1")).isEmpty();
  }

  @Test
  void forwardingOtherAndDeactivationRemoveEverything() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    node.set("forwarding", "other");
    until(
        () -> {
          assertThat(world.switches.rules("s1")).isEmpty();
          assertThat(world.switches.meterCount("s1")).isZero();
        });

    node.set("forwarding", "own");
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    running = false;
    node.deactivate();
    until(
        () -> {
          assertThat(world.switches.rules("s1")).isEmpty();
          assertThat(world.switches.meterCount("s1")).isZero();
        });
  }

  @Test
  void meterThatCannotBeChangedIsReplaced() {
    start();
    set(cap(0));
    untilCapped("s1", 2);
    untilRatesAre("s1", OPEN);
    world.switches.loseMeter("s1", meterOf(capping("s1").get(0)));

    set(cap(20));

    until(() -> assertThat(rates("s1")).contains(19L));
    untilCapped("s1", 2);
    assertThat(node.caps.isOutOfReach(UP, DOWN)).isFalse();
    assertThat(node.caps.isRefusedBy(UP.datapath())).isFalse();
  }
}
