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
import org.sluice.core.silent.LimitGroups;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.forwarding.testing.NodeUnderTest;

public abstract class EdgeLimitConformance extends MeterConformance {
  private static final String MAC1 = "02:00:00:00:01:01";

  private int changes;

  protected EdgeLimitConformance(NodeUnderTest node) {
    super(node);
  }

  @BeforeEach
  void build() {
    fabric.connect("s1", 1, 2, 5);
    fabric.connect("s2", 1, 5);
    fabric.link("s1/5", "s2/5");
  }

  private void start() {
    node.start();
    running = true;
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(marks("s1")).hasSize(2);
          assertThat(marks("s2")).hasSize(2);
        });
  }

  private static EdgeLimit limit(String endpoint, String port, long mbits, String... ips) {
    Set<IpAddress> all = Arrays.stream(ips).map(IpAddress::parse).collect(Collectors.toSet());
    return EdgeLimit.of(endpointId(endpoint), port(port), all, mbits * MEGABIT);
  }

  private void limit(EdgeLimit... limits) {
    node.plane().forwarding().limit(List.of(limits));
  }

  private List<String> marks(String name) {
    return rules(name, "0/50000");
  }

  private List<String> limiting(String name) {
    return rules(name, "0/35000");
  }

  /** What the meters of a switch let through that count no marks, Mbit/s, in order. */
  private List<Long> rates(String name) {
    return kilobitRates(name).stream().map(rate -> rate / 1000).collect(Collectors.toList());
  }

  /** The rate of the meter that limits an address, Mbit/s. */
  private long rateOf(String name, String ip) {
    List<String> rules =
        limiting(name).stream()
            .filter(each -> each.contains("src=" + ip + " "))
            .collect(Collectors.toList());
    assertThat(rules).hasSize(1);
    long meter = Long.parseLong(rules.get(0).replaceAll(".*meter:(\\d+).*", "$1"));
    return fabric.tables().meterRate(name, meter) / 1000;
  }

  /** So much time passes that meters which nobody needs are taken back. */
  private void untilRatesAre(String name, Long... mbits) {
    fabric.later(2 * EdgeMeters.RETIRE_NANOS);
    node.set("addressesPerPort", 100 + ++changes); // Forwarding evaluates everything.
    fabric.until(() -> assertThat(rates(name)).containsExactly(mbits));
  }

  @Test
  void endpointTrafficIsMeteredAndThenForwardedAsUsual() {
    start();
    limit(
        limit("h1/vm0", "s1/1", 7, "10.0.0.1", "fd00::1", "fe80::1"),
        limit("h1/vm1", "s1/1", 9, "10.0.0.2"));
    fabric.until(
        () ->
            assertThat(limiting("s1"))
                .extracting(rule -> rule.replaceAll("meter:\\d+", "meter:n"))
                .containsExactlyInAnyOrder(
                    "0/35000 in_port=1, ipv4, src=10.0.0.1 -> meter:n, goto:1",
                    "0/35000 in_port=1, ipv6, src=fd00::1 -> meter:n, goto:1",
                    "0/35000 in_port=1, ipv4, src=10.0.0.2 -> meter:n, goto:1"));
    assertThat(rates("s1")).containsExactly(7L, 9L);
    assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7);
    assertThat(rateOf("s1", "fd00::1")).isEqualTo(7);
    assertThat(rateOf("s1", "10.0.0.2")).isEqualTo(9);
    assertThat(limiting("s2")).isEmpty();
    assertThat(marks("s1")).as("marks are counted as before").hasSize(2);
    assertThat(fabric.tables().refused()).isZero();
  }

  @Test
  void bucketSizeSuitsTcpAndSwitchLimits() {
    start();
    limit(
        limit("h1/vm0", "s1/1", 1, "10.0.0.1"),
        limit("h1/vm1", "s1/1", 100, "10.0.0.2"),
        limit("h1/vm2", "s1/1", 400_000, "10.0.0.3"));
    fabric.until(() -> assertThat(limiting("s1")).hasSize(3));
    assertThat(fabric.tables().meterBursts("s1")).contains(2_000L, 20_000L, 2_000_000L);
  }

  @Test
  void changedRateMovesRulesBeforeTheOldMeterIsRemoved() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    fabric.until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7));

    limit(limit("h1/vm0", "s1/1", 5, "10.0.0.1"));

    fabric.until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(5));
    assertThat(rates("s1")).containsExactly(5L, 7L);
    untilRatesAre("s1", 5L);
    assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(5);
    assertThat(fabric.tables().refused()).isZero();
  }

  @Test
  void endOfALimitRemovesTheRuleAtOnceAndTheMeterLater() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"), limit("h1/vm1", "s1/2", 9, "10.0.0.2"));
    fabric.until(() -> assertThat(limiting("s1")).hasSize(2));

    limit(limit("h1/vm1", "s1/2", 9, "10.0.0.2"));

    fabric.until(() -> assertThat(limiting("s1")).hasSize(1));
    assertThat(rateOf("s1", "10.0.0.2")).isEqualTo(9);
    untilRatesAre("s1", 9L);
    assertThat(marks("s1")).hasSize(2);
  }

  @Test
  void limitsAreReinstalledOnAnEmptySwitch() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    fabric.until(() -> assertThat(limiting("s1")).hasSize(1));
    fabric.disconnect("s1");
    fabric.tables().forget("s1");

    fabric.connect("s1");

    fabric.until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7));
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(rates("s1")).containsExactly(7L);
          assertThat(limiting("s1")).hasSize(1);
        });
  }

  @Test
  void leftoversOfACrashedControllerAreRemoved() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    fabric.until(() -> assertThat(limiting("s1")).hasSize(1));
    node.stop();
    fabric.tables().forgetStoredRules();
    assertThat(limiting("s1")).as("it limits on").hasSize(1);

    node.start();

    untilRatesAre("s1");
    assertThat(limiting("s1")).isEmpty();
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(marks("s1")).hasSize(2);
        });
  }

  @Test
  void newMasterReplacesMetersOfTheFormerOne() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    fabric.until(() -> assertThat(limiting("s1")).hasSize(1));
    fabric.loseMastership("s1");
    limit(limit("h1/vm0", "s1/1", 5, "10.0.0.1"));
    fabric.until(() -> assertThat(node.plane().forwarding().own()).isTrue());
    assertThat(rateOf("s1", "10.0.0.1")).as("another node's to change").isEqualTo(7);

    fabric.gainMastership("s1");

    fabric.until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(5));
    untilRatesAre("s1", 5L);
  }

  @Test
  void forwardingOtherAndDeactivationRemoveEverything() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    fabric.until(() -> assertThat(limiting("s1")).hasSize(1));
    node.set("forwarding", "other");
    fabric.until(
        () -> {
          assertThat(fabric.tables().rules("s1")).isEmpty();
          assertThat(fabric.tables().meterCount("s1")).isZero();
        });

    node.set("forwarding", "own");
    fabric.until(() -> assertThat(limiting("s1")).hasSize(1));
    running = false;
    node.deactivate();
    fabric.until(
        () -> {
          assertThat(fabric.tables().rules("s1")).isEmpty();
          assertThat(fabric.tables().meterCount("s1")).isZero();
        });
  }

  @Test
  void switchWithoutMetersIsReportedAsRefusing() {
    fabric.tables().setMeterSpace("s2", 0);
    node.start();
    running = true;
    limit(limit("h1/vm0", "s2/1", 7, "10.0.0.1"));
    fabric.until(
        () -> assertThat(node.plane().forwarding().isRefusedBy(port("s2/1").datapath())).isTrue());
    assertThat(limiting("s2")).isEmpty();
    assertThat(node.plane().forwarding().isRefusedBy(port("s1/1").datapath())).isFalse();
  }

  @Test
  void switchWithFullMeterTableIsReportedAndKeepsItsMeters() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    fabric.until(
        () -> {
          fabric.tables().poll();
          assertThat(limiting("s1")).hasSize(1);
        });
    fabric.tables().setMeterSpace("s1", 2);

    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"), limit("h1/vm1", "s1/1", 9, "10.0.0.2"));

    fabric.until(
        () -> assertThat(node.plane().forwarding().isRefusedBy(port("s1/1").datapath())).isTrue());
    assertThat(limiting("s1")).hasSize(1);
    assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7);
    assertThat(marks("s1")).hasSize(2);
    assertThat(fabric.tables().refused()).as("rules without their meter").isZero();
  }

  @Test
  void endpointsBeyondTheMeterLimitShareAMeterPerPort() {
    start();
    List<EdgeLimit> many = new ArrayList<>();
    for (int i = 0; i < LimitGroups.MOST_SINGLE + 3; i++) {
      String ip = "10.1." + i / 256 + "." + i % 256;
      many.add(limit(String.format("h1/vm%03d", i), "s1/1", 2, ip));
    }

    node.plane().forwarding().limit(many);

    fabric.until(() -> assertThat(limiting("s1")).hasSize(many.size()));
    assertThat(rates("s1")).hasSize(LimitGroups.MOST_SINGLE + 1).contains(2L, 6L);
    assertThat(rateOf("s1", "10.1.1.0")).isEqualTo(6);
  }

  @Test
  void endpointsOfASilentAgentAreLimitedUntilItReconnects() {
    start();
    node.set("leaseMillis", 1000);
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.until(() -> assertThat(rules("s1", "0/45000")).isNotEmpty());

    node.link().disconnect(HostId.of("h1"));

    fabric.until(() -> assertThat(rateOf("s1", "10.0.0.1")).as("of the host's NIC").isEqualTo(50));
    node.link().connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.until(() -> assertThat(limiting("s1")).isEmpty());
    untilRatesAre("s1");
  }
}
