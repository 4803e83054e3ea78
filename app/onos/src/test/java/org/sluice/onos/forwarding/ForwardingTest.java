// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;
import static org.sluice.onos.testing.Waiting.until;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.app.ApplicationState;
import org.onosproject.net.flow.FlowEntry;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

/** The pipeline in ONOS's real managers, over simulated switches. */
class ForwardingTest {
  private static final String FORWARDER = "org.onosproject.fwd";
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC5 = "02:00:00:00:01:05";

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);
  private boolean running;

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
  }

  private List<String> own(String name) {
    return world.switches.rules(name).stream()
        .filter(rule -> !rule.startsWith("0/40000"))
        .collect(Collectors.toList());
  }

  private void assertFrame(String name) {
    assertThat(own(name))
        .contains(
            "0/00010 ipv4 -> goto:1",
            "0/00010 ipv6 -> goto:1",
            "1/00001 ipv4 -> controller",
            "1/00001 ipv6 -> controller");
  }

  private static String route(String ip, int port) {
    return "1/00100 ipv4, dst=" + ip + " -> output:" + port;
  }

  private static String resolution(String ip, int port) {
    return "0/45000 arp, arp_tpa=" + ip + " -> output:" + port + ", controller";
  }

  private Optional<String> markRule(String name) {
    return own(name).stream().filter(rule -> rule.startsWith("0/50000")).findFirst();
  }

  private void untilNothingIsLeft() {
    until(
        () -> {
          for (String name : List.of("s1", "s2")) {
            assertThat(world.switches.rules(name)).isEmpty();
            assertThat(world.switches.meterCount(name)).isZero();
          }
        });
  }

  /** Statistics come in until the marks of a switch's link are counted. */
  private void untilMarksAreCounted(String name) {
    until(
        () -> {
          world.switches.poll();
          assertThat(markRule(name)).isPresent();
        });
  }

  @Test
  void everySwitchGetsThePipelineAndARouteToEveryHost() {
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    world.hosts.seen(MAC5, "s2/1", "10.0.0.5");

    until(
        () -> {
          assertFrame("s1");
          assertFrame("s2");
          assertThat(own("s1"))
              .contains(route("10.0.0.1", 1), route("10.0.0.5", 5))
              .contains(resolution("10.0.0.1", 1), resolution("10.0.0.5", 5));
          assertThat(own("s2"))
              .contains(route("10.0.0.1", 5), route("10.0.0.5", 1))
              .contains(resolution("10.0.0.1", 5), resolution("10.0.0.5", 1));
        });
    until(
        () -> {
          world.switches.poll();
          assertThat(world.flows.getFlowEntriesById(node.manager.id()))
              .allSatisfy(
                  entry -> assertThat(entry.state()).isEqualTo(FlowEntry.FlowEntryState.ADDED));
        });
  }

  @Test
  void interSwitchPortsGetAMeterBeforeTheRuleThatUsesIt() {
    start();
    until(() -> assertThat(world.switches.meterCount("s1")).isEqualTo(1));
    assertThat(markRule("s1")).isEmpty();

    world.switches.poll();

    until(
        () ->
            assertThat(own("s1"))
                .filteredOn(rule -> rule.startsWith("0/50000"))
                .extracting(rule -> rule.replaceAll("meter:\\d+", "meter:n"))
                .containsExactlyInAnyOrder(
                    "0/50000 in_port=5, ipv4, ip_ecn=3 -> meter:n, goto:1",
                    "0/50000 in_port=5, ipv6, ip_ecn=3 -> meter:n, goto:1"));
    assertThat(own("s1"))
        .filteredOn(rule -> rule.startsWith("0/50000"))
        .extracting(rule -> rule.replaceAll(".*meter:(\\d+).*", "$1"))
        .as("both families through one meter")
        .satisfies(meters -> assertThat(Set.copyOf(meters)).hasSize(1));
    assertThat(world.switches.refused()).isZero();
  }

  @Test
  void equalCostPathsUseOnePortUntilTheirGroupIsInstalled() {
    world.switches.connect("s1", 1, 2, 5, 6);
    world.switches.connect("s2", 1, 5, 6);
    world.switches.link("s1/6", "s2/6");
    start();
    world.hosts.seen(MAC5, "s2/1", "10.0.0.5");

    until(() -> assertThat(own("s1")).contains(route("10.0.0.5", 5)));

    until(
        () -> {
          world.switches.poll();
          assertThat(own("s1"))
              .anyMatch(rule -> rule.matches("1/00100 .*10\\.0\\.0\\.5 -> group:\\d+"))
              .doesNotContain(route("10.0.0.5", 5));
        });
    assertThat(world.switches.groupCount("s1")).isEqualTo(1);
    assertThat(world.switches.refused()).isZero();
  }

  @Test
  void switchWithoutMetersForwardsWithoutThem() {
    world.denyMeters("s1");
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1)));
    untilMarksAreCounted("s2");
    assertThat(markRule("s1")).isEmpty();
  }

  @Test
  void lostFlowTablesAreReinstalledAtOnce() {
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1)));
    world.switches.disconnect("s1");
    world.switches.forget("s1");

    world.switches.connect("s1");

    until(
        () -> {
          assertFrame("s1");
          assertThat(own("s1")).contains(route("10.0.0.1", 1));
        });
  }

  @Test
  void onosShutdownKeepsRulesAndStoredLinks() {
    start();
    world.hosts.seen(MAC5, "s2/1", "10.0.0.5");
    untilMarksAreCounted("s1");
    List<String> before = own("s1");

    node.stop();
    assertThat(own("s1")).isEqualTo(before);
    world.switches.unlink("s1/5", "s2/5"); // ONOS has to discover it anew.
    world.flows.purgeFlowRules(OnosWorld.device("s1"));
    node.start();

    until(
        () -> {
          world.switches.poll();
          assertThat(world.flows.getFlowEntries(OnosWorld.device("s1")))
              .hasSizeGreaterThanOrEqualTo(before.size());
        });
    world.switches.poll();
    until(() -> assertThat(own("s1")).isEqualTo(before));
    assertThat(world.switches.meterCount("s1")).isEqualTo(1);
  }

  @Test
  void deactivationRemovesEverything() {
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    untilMarksAreCounted("s1");

    running = false;
    node.deactivate();

    untilNothingIsLeft();
    assertThat(world.packets.getRequests()).isEmpty();
    assertThat(world.packets.getProcessors()).isEmpty();
  }

  @Test
  void deactivationRemovesRulesInstalledBeforeARestartForASilentHost() {
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    until(() -> assertThat(world.switches.rules("s2")).anyMatch(rule -> rule.contains("10.0.0.1")));
    List<String> before = world.switches.rules("s2");
    node.stop();
    world.hosts.gone(MAC1);
    for (String name : List.of("s1", "s2")) {
      world.flows.purgeFlowRules(OnosWorld.device(name));
    }
    node.start();
    until(() -> assertThat(node.forwarding.own()).isTrue());
    assertThat(world.switches.rules("s2")).containsAll(before);

    running = false;
    node.deactivate();

    untilNothingIsLeft();
  }

  @Test
  void forwardingOtherLeavesFlowTablesUnchanged() {
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1)));

    node.set("forwarding", "other");

    until(
        () -> {
          assertThat(world.switches.rules("s1")).isEmpty();
          assertThat(world.switches.meterCount("s1")).isZero();
          assertThat(world.packets.getRequests()).isEmpty();
        });
    assertThat(node.forwarding.own()).isFalse();

    node.set("forwarding", "own");
    until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1)));
  }

  @Test
  void reactiveForwardingPreventsForwardingWithTheReason() {
    world.applications.set(FORWARDER, ApplicationState.ACTIVE);
    start();

    until(
        () ->
            assertThat(node.journal().entries(-1, Optional.empty(), 10))
                .anySatisfy(
                    entry -> {
                      assertThat(entry.kind()).isEqualTo(JournalEntry.Kind.SETTING);
                      assertThat(entry.decision()).isEqualTo("Sluice does not forward");
                      assertThat(entry.evidence()).contains("org.onosproject.fwd", "deactivate it");
                    }));
    assertThat(world.switches.rules("s1")).isEmpty();

    world.applications.set(FORWARDER, ApplicationState.INSTALLED);
    until(() -> assertFrame("s1"));
  }

  @Test
  void switchOfAnotherMasterIsNotChanged() {
    start();
    until(() -> assertFrame("s1"));
    world.loseMastership("s1");

    world.hosts.seen(MAC1, "s1/1", "10.0.0.1"); // which its master writes down:
    node.attachments.learn(IpAddress.parse("10.0.0.1"), port("s1/1"));

    until(() -> assertThat(own("s2")).contains(route("10.0.0.1", 5)));
    assertThat(own("s1")).doesNotContain(route("10.0.0.1", 1));
    world.gainMastership("s1");
    until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1)));
  }

  @Test
  void emptySwitchGetsMetersBeforeTheirRules() {
    start();
    untilMarksAreCounted("s1");
    world.switches.disconnect("s1");
    world.switches.forget("s1");

    world.switches.connect("s1");
    until(() -> assertFrame("s1"));

    assertThat(world.switches.refused()).isZero();
    untilMarksAreCounted("s1");
    assertThat(world.switches.refused()).isZero();
  }

  @Test
  void inheritedRulesAreRemovedFromAReconnectedSwitch() {
    start();
    world.hosts.seen(MAC1, "s1/1", "10.0.0.1");
    until(() -> assertThat(own("s2")).contains(route("10.0.0.1", 5)));
    node.stop();
    world.hosts.gone(MAC1);
    for (String name : List.of("s1", "s2")) {
      world.flows.purgeFlowRules(OnosWorld.device(name));
    }
    world.switches.disconnect("s2");
    node.start();
    until(() -> assertThat(node.forwarding.own()).isTrue());

    node.set("forwarding", "other");
    until(() -> assertThat(world.switches.rules("s1")).isEmpty());
    assertThat(own("s2")).isNotEmpty();

    world.switches.connect("s2");
    untilNothingIsLeft();
  }
}
