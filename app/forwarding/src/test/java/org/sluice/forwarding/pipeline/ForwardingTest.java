// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.DoctorService;
import org.sluice.api.IpAddress;
import org.sluice.forwarding.frame.Frames;
import org.sluice.forwarding.testing.FabricNode;
import org.sluice.forwarding.testing.MemoryFabric;
import org.sluice.forwarding.topology.NextHopHash;

class ForwardingTest {
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC2 = "02:00:00:00:01:02";
  private static final String MAC5 = "02:00:00:00:01:05";

  private final MemoryFabric fabric = new MemoryFabric();
  private final FabricNode node = new FabricNode(fabric);
  private boolean running;

  @BeforeEach
  void build() {
    fabric.connect("s1", 1, 2, 5);
    fabric.connect("s2", 1, 5);
    fabric.link("s1/5", "s2/5");
  }

  @AfterEach
  void end() {
    if (running) {
      node.stop();
    }
  }

  private void start() {
    node.start();
    running = true;
  }

  private List<String> own(String name) {
    return fabric.switches.rules(name).stream()
        .filter(rule -> !rule.startsWith("0/40000"))
        .collect(Collectors.toList());
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

  @Test
  void ipv6HostsHaveRoutesAndNeighbourRules() {
    start();
    fabric.network.seen(MAC5, "s2/1", "fd00::5");

    fabric.until(
        () ->
            assertThat(own("s1"))
                .contains(
                    "1/00100 ipv6, dst=fd00::5 -> output:5",
                    "0/45000 ipv6, ip_proto=58, icmpv6_type=135, nd_target=fd00::5"
                        + " -> output:5, controller"));
  }

  /** As those of which a node was the master that has died. */
  @Test
  void switchThatIsNotKnownInTimeHoldsUpNoOther() {
    start();
    fabric.switches.late.add(datapath("s1"));
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.until(() -> assertThat(own("s2")).contains(route("10.0.0.1", 5)));
    assertThat(node.service(DoctorService.class).examine()).isNotNull();
    assertThat(own("s1")).doesNotContain(route("10.0.0.1", 1));

    fabric.switches.late.clear();
    fabric.time.advanceMillis(600);

    assertThat(own("s1")).contains(route("10.0.0.1", 1));
  }

  @Test
  void routesFollowAMovedHost() {
    start();
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.until(() -> assertThat(own("s2")).contains(route("10.0.0.1", 5)));

    fabric.network.seen(MAC1, "s2/1", "10.0.0.1");

    fabric.until(
        () -> {
          assertThat(own("s1")).contains(route("10.0.0.1", 5)).doesNotContain(route("10.0.0.1", 1));
          assertThat(own("s2")).contains(route("10.0.0.1", 1)).doesNotContain(route("10.0.0.1", 5));
        });
  }

  @Test
  void foreignMacCannotTakeAnAddressReportedByAnAgent() {
    start();
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1)));

    fabric.network.seen(MAC5, "s2/1", "10.0.0.1", "10.0.0.5");
    fabric.receive("s2/1", Frames.question(MAC5, "10.0.0.1", "10.0.0.9"));

    fabric.until(() -> assertThat(own("s1")).contains(route("10.0.0.5", 5)));
    assertThat(own("s1")).contains(route("10.0.0.1", 1));
  }

  @Test
  void spreadingByDestinationGivesEachAPortWithoutGroups() {
    fabric.connect("s1", 1, 2, 5, 6);
    fabric.connect("s2", 1, 5, 6);
    fabric.link("s1/6", "s2/6");
    start();
    node.set("spreading", "destinations");
    IpAddress ip = IpAddress.parse("10.0.0.5");
    int port = (int) NextHopHash.chosen(port("s1/1").datapath(), ip, List.of(5L, 6L));
    fabric.network.seen(MAC5, "s2/1", "10.0.0.5");

    fabric.until(
        () ->
            assertThat(own("s1"))
                .contains(route("10.0.0.5", port), resolution("10.0.0.5", port))
                .doesNotContain(route("10.0.0.5", 11 - port)));
    assertThat(fabric.switches.groupCount("s1")).isZero();

    node.set("spreading", "flows");
    fabric.until(
        () -> {
          fabric.switches.poll();
          assertThat(own("s1"))
              .anyMatch(rule -> rule.matches(".*dst=10\\.0\\.0\\.5 -> group:\\d+"));
        });
  }

  @Test
  void reconnectedSwitchKeepsItsRules() {
    start();
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.network.seen(MAC5, "s2/1", "10.0.0.5");
    fabric.until(
        () -> assertThat(own("s1")).contains(route("10.0.0.5", 5), resolution("10.0.0.5", 5)));

    fabric.disconnect("s2");
    // The platform gives up its hosts. What they send still arrives over the link, as if they were
    // attached
    // there.
    fabric.network.gone(MAC5);
    fabric.network.seen(MAC5, "s1/5", "10.0.0.5");
    fabric.network.seen(MAC2, "s1/2", "10.0.0.2");
    fabric.until(() -> assertThat(own("s1")).contains(route("10.0.0.2", 2)));

    assertThat(own("s1")).contains(route("10.0.0.5", 5), resolution("10.0.0.5", 5));
    fabric.connect("s2");
    fabric.until(() -> assertThat(own("s2")).contains(route("10.0.0.2", 5), route("10.0.0.5", 1)));
    assertThat(own("s1")).contains(route("10.0.0.5", 5));
  }

  @Test
  void linkLocalAddressesHaveNoRules() {
    start();
    fabric.network.seen(MAC5, "s2/1", "fe80::ff:fe00:105", "fd00::5", "169.254.3.4");

    fabric.until(() -> assertThat(own("s1")).anyMatch(rule -> rule.contains("fd00::5")));
    assertThat(own("s1")).noneMatch(rule -> rule.contains("fe80:") || rule.contains("169.254."));
  }

  /** Its leaving and its return may be one event, when they follow each other quickly. */
  @Test
  void emptySwitchGetsMetersBeforeTheirRulesThoughItsLeavingWasMissed() {
    start();
    fabric.until(
        () -> {
          fabric.switches.poll();
          assertThat(own("s1")).anyMatch(rule -> rule.startsWith("0/50000"));
        });
    fabric.switches.forget("s1");

    fabric.connect("s1");
    fabric.until(() -> assertThat(own("s1")).isNotEmpty());

    assertThat(fabric.switches.refused()).isZero();
    fabric.until(
        () -> {
          fabric.switches.poll();
          assertThat(own("s1")).anyMatch(rule -> rule.startsWith("0/50000"));
        });
    assertThat(fabric.switches.refused()).isZero();
  }

  @Test
  void markMeterRateExceedsEveryPortSpeed() {
    start();
    fabric.until(() -> assertThat(fabric.switches.meterCount("s1")).isEqualTo(1));

    long fastestPortKilobits = 1_600_000_000; // 1.6TE, the fastest Ethernet that is specified.
    assertThat(fabric.switches.meterRates("s1")).allMatch(rate -> rate >= fastestPortKilobits);
  }

  @Test
  void rulesOfAMachineRemovedWhileTheControllerWasDownExpire() {
    start();
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.network.seen(MAC5, "s2/1", "10.0.0.5");
    fabric.until(() -> assertThat(own("s2")).contains(route("10.0.0.1", 5), route("10.0.0.5", 1)));
    node.stop();
    fabric.network.gone(MAC1);
    fabric.switches.forgetStoredRules();
    fabric.forgetAttachments();
    node.start();
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    fabric.until(() -> assertThat(node.plane.forwarding().inherited()).hasSize(1));
    assertThat(own("s2")).contains(route("10.0.0.1", 5));

    fabric.time.advanceNanos(TimeUnit.MINUTES.toNanos(31));

    fabric.until(
        () -> {
          assertThat(own("s1")).noneMatch(rule -> rule.contains("=10.0.0.1 "));
          assertThat(own("s2")).noneMatch(rule -> rule.contains("=10.0.0.1 "));
        });
    assertThat(own("s2")).contains(route("10.0.0.5", 1));
    fabric.until(() -> assertThat(node.plane.forwarding().inherited()).isEmpty());
  }

  private void ageByMinutes(long minutes) {
    fabric.time.advanceNanos(TimeUnit.MINUTES.toNanos(minutes));
    fabric.switches.poll();
    for (int i = 0; i <= AttachmentAging.QUESTIONS; i++) {
      node.plane.aging().age();
    }
  }

  @Test
  void silentAddressExpiresWithItsRulesUnlessUsedOrReachable() {
    start();
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    for (int i = 6; i <= 8; i++) {
      fabric.network.seen("02:00:00:00:01:0" + i, "s2/1", "10.0.0." + i);
    }
    fabric.until(() -> assertThat(own("s1")).contains(route("10.0.0.1", 1), route("10.0.0.8", 5)));
    fabric.until(() -> assertThat(own("s2")).contains(route("10.0.0.6", 1), route("10.0.0.8", 1)));
    fabric.switches.poll();
    node.plane.aging().age();

    fabric.switches.carry("s2", "dst=10.0.0.6 ", 1);
    ageByMinutes(20);
    fabric.beforeEmitting =
        () -> node.plane.attachments().learn(IpAddress.parse("10.0.0.7"), port("s2/1"));
    ageByMinutes(11);

    assertThat(node.plane.attachments().all().keySet())
        .as("reported; sent to; answers")
        .containsExactlyInAnyOrder(
            IpAddress.parse("10.0.0.1"), IpAddress.parse("10.0.0.6"), IpAddress.parse("10.0.0.7"));
    fabric.until(() -> assertThat(own("s1")).noneMatch(rule -> rule.contains("=10.0.0.8 ")));
  }
}
