// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.LargeFlow;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.api.queue.ActiveCap;
import org.sluice.api.queue.QueueService;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.forwarding.testing.NodeUnderTest;

public abstract class SwitchCapsConformance extends MeterConformance {
  private static final long OPEN = CapMeterTable.OPEN_KILOBITS_PER_SECOND / 1000;
  private static final int DSCP = 14;
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC2 = "02:00:00:00:02:01";
  private static final PortId UP = port("s1/5");
  private static final PortId DOWN = port("s2/1");

  private int looks;
  private long sentBytes;

  protected SwitchCapsConformance(NodeUnderTest node) {
    super(node);
  }

  @BeforeEach
  void build() {
    fabric.connect("s1", 1, 2, 5, 6);
    fabric.connect("s2", 1, 2, 5, 6);
    fabric.link("s1/5", "s2/5");
  }

  private void start() {
    node.start();
    running = true;
    fabric.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.seen(MAC2, "s2/1", "10.0.0.2", "fd00::2");
    fabric.until(() -> assertThat(rules("s1", "1/00100")).hasSize(3));
  }

  private static CapMeter cap(PortId up, PortId down, long mbits, String... ips) {
    Set<IpAddress> all = Arrays.stream(ips).map(IpAddress::parse).collect(Collectors.toSet());
    return CapMeter.of(up, down, DSCP, all, mbits * MEGABIT);
  }

  private static CapMeter cap(long mbits) {
    return cap(UP, DOWN, mbits, "10.0.0.2", "fd00::2");
  }

  private void set(CapMeter... meters) {
    node.plane().caps().set(List.of(meters));
  }

  private List<String> capping(String name) {
    return rules(name, "1/00110");
  }

  /**
   * What the meters of a switch let through that count no marks, to the nearest Mbit/s, in order.
   */
  private List<Long> rates(String name) {
    return kilobitRates(name).stream()
        .map(rate -> Math.round(rate / 1000.0))
        .collect(Collectors.toList());
  }

  private long meterOf(String rule) {
    return Long.parseLong(rule.replaceAll(".*meter:(\\d+).*", "$1"));
  }

  private void untilCapped(String name, int rules) {
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(capping(name)).hasSize(rules);
        });
  }

  private void untilRatesAre(String name, Long... mbits) {
    fabric.until(() -> assertThat(rates(name)).containsExactly(mbits));
  }

  /** Forwarding evaluates everything. */
  private void check() {
    node.set("addressesPerPort", 100 + ++looks);
  }

  private void later(long nanos) {
    fabric.later(nanos);
    check();
  }

  @Test
  void cappedLevelIsMeteredAndThenForwardedByTheRoute() {
    start();
    set(cap(20));
    untilCapped("s1", 2);

    assertThat(capping("s1"))
        .extracting(rule -> rule.replaceAll("meter:\\d+", "meter:n"))
        .containsExactlyInAnyOrder(
            "1/00110 ipv4, ip_dscp=14, dst=10.0.0.2 -> meter:n, output:5",
            "1/00110 ipv6, ip_dscp=14, dst=fd00::2 -> meter:n, output:5");
    assertThat(capping("s1").stream().map(this::meterOf).distinct()).hasSize(1);
    untilRatesAre("s1", 20L);
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isFalse();
    assertThat(capping("s2")).isEmpty();
    assertThat(rules("s1", "0/50000")).as("marks are counted before, in table 0").hasSize(2);
    assertThat(fabric.tables().refused()).isZero();
  }

  @Test
  void rateChangesModifyTheMeter() {
    start();
    set(cap(0));
    untilCapped("s1", 2);
    untilRatesAre("s1", OPEN);
    List<String> before = capping("s1");
    int modifications = fabric.tables().modifications("s1");

    set(cap(25));
    untilRatesAre("s1", 25L);
    set(cap(0));
    untilRatesAre("s1", OPEN);
    set(cap(1));
    untilRatesAre("s1", 1L);

    assertThat(capping("s1")).isEqualTo(before);
    assertThat(fabric.tables().modifications("s1")).isEqualTo(modifications);
    assertThat(fabric.tables().meterBursts("s1")).as("200 ms, and at least").contains(2_000L);
    set(cap(400));
    later(CapRates.CHANGE_NANOS);
    untilRatesAre("s1", 400L);
    assertThat(fabric.tables().meterBursts("s1")).contains(80_000L);
  }

  @Test
  void smallChangesOfACapAreIgnored() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    int changes = fabric.tables().rateChanges("s1");
    later(CapRates.CHANGE_NANOS);

    set(CapMeter.of(UP, DOWN, DSCP, cap(1).destinations(), 20_900_000));
    set(CapMeter.of(UP, DOWN, DSCP, cap(1).destinations(), 19_100_000));
    set(cap(15));
    untilRatesAre("s1", 15L);

    assertThat(fabric.tables().rateChanges("s1")).isEqualTo(changes + 1);
  }

  @Test
  void changesOfACapAreRateLimited() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    long begun = fabric.nanoTime();

    set(cap(40));

    untilRatesAre("s1", 40L);
    assertThat(fabric.nanoTime() - begun).isGreaterThanOrEqualTo(CapRates.CHANGE_NANOS / 2);
  }

  @Test
  void ruleAndMeterFollowTheRoute() {
    start();
    set(cap(20));
    untilCapped("s1", 2);

    fabric.seen(MAC2, "s1/2", "10.0.0.2", "fd00::2");

    fabric.until(() -> assertThat(capping("s1")).isEmpty());
    assertThat(rules("s1", "1/00100")).anyMatch(rule -> rule.endsWith("output:2"));
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isTrue();
    untilRatesAre("s1", OPEN);
    later(2 * EdgeMeters.RETIRE_NANOS);
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1");

    fabric.seen(MAC2, "s2/1", "10.0.0.2", "fd00::2");
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isFalse();
  }

  @Test
  void destinationWithSeveralPortsIsNotCapped() {
    fabric.link("s1/6", "s2/6");
    start();
    set(cap(20), cap(port("s1/6"), DOWN, 20, "10.0.0.2", "fd00::2"));
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(rules("s1", "1/00100")).anyMatch(rule -> rule.contains("group"));
        });

    assertThat(capping("s1")).isEmpty();
    assertThat(rates("s1")).isEmpty();
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isTrue();
    assertThat(node.plane().caps().isRefusedBy(UP.datapath())).isFalse();

    node.set("spreading", "destinations");
    untilCapped("s1", 2);
    for (String rule : capping("s1")) {
      String match = rule.replaceAll(".*(dst=[^ ]*) .*", "$1");
      String out = rule.replaceAll(".*output:", "");
      assertThat(rules("s1", "1/00100"))
          .anyMatch(route -> route.contains(match) && route.endsWith("output:" + out));
    }
  }

  @Test
  void destinationSpreadByTheNextSwitchIsNotCapped() {
    start();
    set(cap(20), cap(UP, port("s2/2"), 10, "10.0.0.2"));

    untilCapped("s1", 1);

    assertThat(capping("s1").get(0)).contains("fd00::2");
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isFalse();
    assertThat(node.plane().caps().isOutOfReach(UP, port("s2/2"))).isTrue();
  }

  @Test
  void endOfACapRemovesTheRuleAtOnceAndTheMeterLater() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);

    set();

    fabric.until(() -> assertThat(capping("s1")).isEmpty());
    untilRatesAre("s1", OPEN);
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1");
    assertThat(rules("s1", "0/50000")).hasSize(2);
  }

  @Test
  void edgeLimitsAreNotChanged() {
    start();
    node.plane()
        .forwarding()
        .limit(
            List.of(
                EdgeLimit.of(
                    endpointId("h1/vm0"),
                    port("s1/1"),
                    Set.of(IpAddress.parse("10.0.0.1")),
                    7 * MEGABIT)));
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 7L, 20L);
    fabric.until(() -> assertThat(rules("s1", "0/35000")).hasSize(1));
    later(2 * EdgeMeters.RETIRE_NANOS);
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1", 7L, 20L);
    assertThat(rules("s1", "0/35000")).hasSize(1);
    assertThat(capping("s1")).hasSize(2);
  }

  @Test
  void capsAreReinstalledOnAnEmptySwitch() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    fabric.disconnect("s1");
    fabric.tables().forget("s1");

    fabric.connect("s1");

    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
  }

  @Test
  void meterLostByItsSwitchIsReinstalled() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    for (int i = 0; i < 5; i++) {
      fabric.tables().poll();
    }
    long meter = meterOf(capping("s1").get(0));
    int changes = fabric.tables().rateChanges("s1");
    check();
    set(cap(40));
    untilRatesAre("s1", 40L);
    assertThat(fabric.tables().rateChanges("s1")).isEqualTo(changes + 1);

    fabric.tables().loseMeter("s1", meter);

    fabric.until(
        () -> {
          fabric.tables().poll();
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
    fabric.disconnect("s1"); // Nobody can open the cap on the way out.
    node.stop();
    fabric.tables().forgetStoredRules();
    fabric.connect("s1");
    assertThat(rates("s1")).as("it limits on").containsExactly(20L);

    node.start();

    fabric.until(() -> assertThat(rates("s1")).doesNotContain(20L));
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1");
    assertThat(capping("s1")).isEmpty();
  }

  @Test
  void stoppingControllerOpensItsCaps() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    running = false;

    node.stop();

    assertThat(rates("s1")).containsExactly(OPEN);
  }

  @Test
  void newMasterReplacesMetersOfTheFormerOne() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    fabric.loseMastership("s1");
    set(cap(10));
    check();
    assertThat(rates("s1")).as("another node's to change").containsExactly(20L);

    fabric.gainMastership("s1");

    fabric.until(() -> assertThat(rates("s1")).contains(10L));
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1", 10L);
    untilCapped("s1", 2);
  }

  @Test
  void forwardingOtherAndDeactivationRemoveEverything() {
    start();
    set(cap(20));
    untilCapped("s1", 2);
    node.set("forwarding", "other");
    fabric.until(
        () -> {
          assertThat(fabric.tables().rules("s1")).isEmpty();
          assertThat(fabric.tables().meterCount("s1")).isZero();
        });

    node.set("forwarding", "own");
    untilCapped("s1", 2);
    untilRatesAre("s1", 20L);
    running = false;
    node.deactivate();
    fabric.until(
        () -> {
          assertThat(fabric.tables().rules("s1")).isEmpty();
          assertThat(fabric.tables().meterCount("s1")).isZero();
        });
  }

  @Test
  void switchWithoutMetersIsReportedAndKeepsForwarding() {
    fabric.tables().setMeterSpace("s1", 0);
    start();
    set(cap(20));
    fabric.until(() -> assertThat(node.plane().caps().isRefusedBy(UP.datapath())).isTrue());
    check();

    assertThat(capping("s1")).isEmpty();
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isTrue();
    assertThat(node.plane().caps().isRefusedBy(DOWN.datapath())).isFalse();
    assertThat(rules("s1", "1/00100")).hasSize(3);
    assertThat(fabric.tables().rateChanges("s1")).isZero();
  }

  @Test
  void meterThatCannotBeChangedIsReplaced() {
    start();
    set(cap(0));
    untilCapped("s1", 2);
    untilRatesAre("s1", OPEN);
    fabric.tables().loseMeter("s1", meterOf(capping("s1").get(0)));

    set(cap(20));

    fabric.until(() -> assertThat(rates("s1")).contains(20L));
    untilCapped("s1", 2);
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isFalse();
    assertThat(node.plane().caps().isRefusedBy(UP.datapath())).isFalse();
  }

  @Test
  void switchThatRefusesChangesHasAMeterForEachRate() {
    fabric.tables().setChangesMeters(false);
    start();
    set(cap(20));
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(capping("s1")).hasSize(2);
          assertThat(fabric.tables().meterRate("s1", meterOf(capping("s1").get(0))))
              .isEqualTo(19_997);
        });
    assertThat(node.plane().caps().isRefusedBy(UP.datapath())).isFalse();
    assertThat(node.plane().caps().isOutOfReach(UP, DOWN)).isFalse();

    later(CapRates.CHANGE_NANOS);
    set(cap(40));
    fabric.until(
        () ->
            assertThat(fabric.tables().meterRate("s1", meterOf(capping("s1").get(0))))
                .isEqualTo(39_997));
    later(2 * EdgeMeters.RETIRE_NANOS);
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1", 40L);
    int changes = fabric.tables().rateChanges("s1");
    set(CapMeter.of(UP, DOWN, DSCP, cap(1).destinations(), 39_000_000));
    later(CapRates.CHANGE_NANOS);
    untilRatesAre("s1", 40L);
    assertThat(fabric.tables().refused()).isZero();

    set(cap(0));
    fabric.until(() -> assertThat(capping("s1")).isEmpty());
    later(2 * EdgeMeters.RETIRE_NANOS);
    later(2 * EdgeMeters.RETIRE_NANOS);
    untilRatesAre("s1");
    assertThat(fabric.tables().rateChanges("s1")).as("it is not asked again").isEqualTo(changes);
  }

  @Test
  void switchThatReturnsIsAskedAgainToChangeAMeter() {
    fabric.tables().setChangesMeters(false);
    start();
    set(cap(20));
    untilRatesAre("s1", 20L, OPEN);
    fabric.tables().setChangesMeters(true);
    fabric.disconnect("s1");
    fabric.connect("s1");

    untilCapped("s1", 2);
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(rates("s1")).contains(20L);
        });
  }

  @Test
  void capsPerSwitchAreLimited() {
    start();
    List<CapMeter> many = new ArrayList<>();
    List<String> addresses = new ArrayList<>();
    for (int i = 0; i < CapMeterTable.MOST_PAIRS + 3; i++) {
      String ip = "10.1." + i / 250 + "." + (i % 250 + 1);
      addresses.add(ip);
      many.add(cap(UP, port("s2/" + (100 + i)), 2, ip));
    }
    node.set("addressesPerPort", 1000);
    fabric.seen(MAC2, "s2/1", addresses.toArray(new String[0]));
    fabric.until(() -> assertThat(rules("s1", "1/00100")).hasSizeGreaterThan(many.size()));

    node.plane().caps().set(many);

    untilCapped("s1", CapMeterTable.MOST_PAIRS);
    fabric.until(
        () -> {
          assertThat(node.plane().caps().isRefusedBy(UP.datapath())).isTrue();
          assertThat(
                  many.stream()
                      .filter(meter -> node.plane().caps().isOutOfReach(UP, meter.downstream())))
              .hasSize(3);
        });
  }

  /** Short flows wait at a port with an agent; the port before it has none. */
  @Test
  void microFlowUsesSwitchCapsAtPortsWithoutAgent() {
    HostId keeper = HostId.of("p2");
    FlowKey flow =
        FlowKey.of(IpAddress.parse("10.0.0.1"), 40_000, IpAddress.parse("10.0.0.2"), 5001);
    start();
    node.set("backgroundDscp", 8);
    node.set("caps", "microflow");
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    node.link().connect(hello("h2", endpoint("h2/vm0", MAC2, "10.0.0.2", "fd00::2")));
    node.link().connect(HostHello.ofPortAgent(keeper, "1.2.3", List.of(), List.of(DOWN)));

    fabric.until(
        () -> {
          reportLargeAndWaiting(keeper, flow);
          assertThat(capping("s1")).hasSize(1);
          assertThat(rates("s1")).hasSize(1).allMatch(rate -> rate < 1000);
        });

    assertThat(capping("s1").get(0)).contains("ip_dscp=8, dst=10.0.0.2 ->");
    fabric.until(
        () -> {
          reportLargeAndWaiting(keeper, flow);
          assertThat(node.service(QueueService.class).caps())
              .anySatisfy(
                  cap -> {
                    assertThat(cap.upstream()).isEqualTo(UP);
                    assertThat(cap.downstream()).isEqualTo(DOWN);
                    assertThat(cap.enforcer()).isEqualTo(ActiveCap.Enforcer.METER);
                  });
        });
    untilRatesAre("s1", OPEN);
    fabric.until(() -> assertThat(capping("s1")).as("the flow is idle").isEmpty());
  }

  private void reportLargeAndWaiting(HostId keeper, FlowKey flow) {
    sentBytes += 100_000;
    node.link()
        .report(
            UplinkMessage.ofFlowSizes(
                FlowSizeReport.of(
                    HostId.of("h1"),
                    fabric.nanoTime(),
                    List.of(LargeFlow.of(flow, sentBytes, false)),
                    List.of())));
    node.link()
        .report(
            UplinkMessage.ofPortQueues(
                PortQueueObservation.of(
                    keeper,
                    fabric.nanoTime(),
                    5_000_000,
                    List.of(
                        PortQueueSample.of(DOWN, 0, 0, 0, 0, 0, 36, 0)
                            .with(
                                36,
                                List.of(
                                    LevelQueueSample.of(0, 0, 0, 36),
                                    LevelQueueSample.of(0, 0, 0, 0)),
                                List.of())))));
  }
}
