// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
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
import org.sluice.core.spi.EdgeLimit;
import org.sluice.forwarding.pipeline.CeMeters;
import org.sluice.forwarding.pipeline.EdgeMeters;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** Limits at edge ports in ONOS's real managers, over simulated switches. */
class EdgeLimitsOnOnosTest {
  private static final long MEGABIT = 1_000_000;

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);
  private boolean running;
  private int changes;

  @BeforeEach
  void build() {
    world.switches.connect("s1", 1, 2, 5);
    world.switches.connect("s2", 1, 5);
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
    until(
        () -> {
          world.switches.poll();
          assertThat(marks("s1")).hasSize(2);
          assertThat(marks("s2")).hasSize(2);
        });
  }

  private static EdgeLimit limit(String endpoint, String port, long mbits, String... ips) {
    Set<IpAddress> all = Arrays.stream(ips).map(IpAddress::parse).collect(Collectors.toSet());
    return EdgeLimit.of(endpointId(endpoint), port(port), all, mbits * MEGABIT);
  }

  private void limit(EdgeLimit... limits) {
    node.forwarding.limit(List.of(limits));
  }

  private List<String> rules(String name, String priority) {
    return world.switches.rules(name).stream()
        .filter(rule -> rule.startsWith("0/" + priority))
        .collect(Collectors.toList());
  }

  private List<String> marks(String name) {
    return rules(name, "50000");
  }

  private List<String> limiting(String name) {
    return rules(name, "35000");
  }

  /** What the meters of a switch let through that count no marks, Mbit/s, in order. */
  private List<Long> rates(String name) {
    return world.switches.meterRates(name).stream()
        .filter(rate -> rate != CeMeters.RATE_KILOBITS_PER_SECOND)
        .map(rate -> rate / 1000)
        .sorted()
        .collect(Collectors.toList());
  }

  /** The rate of the meter that limits an address, Mbit/s. */
  private long rateOf(String name, String ip) {
    List<String> rules =
        limiting(name).stream()
            .filter(each -> each.contains(ip + "/"))
            .collect(Collectors.toList());
    assertThat(rules).hasSize(1);
    long meter = Long.parseLong(rules.get(0).replaceAll(".*METER:(\\d+).*", "$1"));
    return world.switches.meterRate(name, meter) / 1000;
  }

  /** So much time passes that meters which nobody needs are taken back. */
  private void untilRatesAre(String name, Long... mbits) {
    node.laterNanos.addAndGet(2 * EdgeMeters.RETIRE_NANOS);
    node.set("addressesPerPort", 100 + ++changes); // Forwarding evaluates everything.
    until(() -> assertThat(rates(name)).containsExactly(mbits));
  }

  @Test
  void changedRateMovesRulesBeforeTheOldMeterIsRemoved() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7));

    limit(limit("h1/vm0", "s1/1", 5, "10.0.0.1"));

    until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(5));
    assertThat(rates("s1")).containsExactly(5L, 7L);
    untilRatesAre("s1", 5L);
    assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(5);
    assertThat(world.switches.refused()).isZero();
  }

  @Test
  void limitsAreReinstalledOnAnEmptySwitch() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    until(() -> assertThat(limiting("s1")).hasSize(1));
    world.switches.disconnect("s1");
    world.switches.forget("s1");

    world.switches.connect("s1");

    until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7));
    until(
        () -> {
          world.switches.poll();
          assertThat(rates("s1")).containsExactly(7L);
          assertThat(limiting("s1")).hasSize(1);
        });
  }

  @Test
  void leftoversOfACrashedControllerAreRemoved() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    until(() -> assertThat(limiting("s1")).hasSize(1));
    node.stop();
    world.flows.purgeFlowRules(OnosWorld.device("s1"));
    assertThat(limiting("s1")).as("it limits on").hasSize(1);

    node.start();

    untilRatesAre("s1");
    assertThat(limiting("s1")).isEmpty();
    until(
        () -> {
          world.switches.poll();
          assertThat(marks("s1")).hasSize(2);
        });
  }

  @Test
  void newMasterReplacesMetersOfTheFormerOne() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    until(() -> assertThat(limiting("s1")).hasSize(1));
    world.loseMastership("s1");
    limit(limit("h1/vm0", "s1/1", 5, "10.0.0.1"));
    until(() -> assertThat(node.forwarding.own()).isTrue());
    assertThat(rateOf("s1", "10.0.0.1")).as("another node's to change").isEqualTo(7);

    world.gainMastership("s1");

    until(() -> assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(5));
    untilRatesAre("s1", 5L);
  }

  @Test
  void switchWithoutMetersIsReportedAsRefusing() {
    world.denyMeters("s2");
    node.start();
    running = true;
    limit(limit("h1/vm0", "s2/1", 7, "10.0.0.1"));
    until(() -> assertThat(node.forwarding.isRefusedBy(port("s2/1").datapath())).isTrue());
    assertThat(limiting("s2")).isEmpty();
    assertThat(node.forwarding.isRefusedBy(port("s1/1").datapath())).isFalse();
  }

  @Test
  void switchWithFullMeterTableIsReportedAndKeepsItsMeters() {
    start();
    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"));
    until(
        () -> {
          world.switches.poll();
          assertThat(limiting("s1")).hasSize(1);
        });
    world.switches.mostMeters = 2;

    limit(limit("h1/vm0", "s1/1", 7, "10.0.0.1"), limit("h1/vm1", "s1/1", 9, "10.0.0.2"));

    until(() -> assertThat(node.forwarding.isRefusedBy(port("s1/1").datapath())).isTrue());
    assertThat(limiting("s1")).hasSize(1);
    assertThat(rateOf("s1", "10.0.0.1")).isEqualTo(7);
    assertThat(marks("s1")).hasSize(2);
    assertThat(world.switches.refused()).as("rules without their meter").isZero();
  }
}
