// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.micro.QueueNetwork.EDGE;
import static org.sluice.core.micro.QueueNetwork.P1;
import static org.sluice.core.micro.QueueNetwork.P2;
import static org.sluice.core.micro.QueueNetwork.flow;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.port;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.queue.ActiveCap;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.testing.MemoryNode;

/** Caps at upstream ports without an agent: by meters of their switches. */
class CapMeterTest {
  private final QueueNetwork at = new QueueNetwork("n1");

  private void start(Object... settings) {
    at.start(settings).connectPortAgent(P2, "s2/3", "s2/4");
  }

  private List<CapMeter> meters() {
    return meters(at.node());
  }

  private static List<CapMeter> meters(MemoryNode node) {
    List<List<CapMeter>> asked = node.capMeters.asked;
    return asked.isEmpty() ? List.of() : asked.get(asked.size() - 1);
  }

  private static CapMeter meter(
      String upstream, String downstream, long bitsPerSecond, String... destinations) {
    Set<IpAddress> all =
        Arrays.stream(destinations).map(IpAddress::parse).collect(Collectors.toSet());
    return CapMeter.of(port(upstream), port(downstream), 0, all, bitsPerSecond);
  }

  @Test
  void meterIsInstalledWithTheFirstCapAndRemovedWithTheLastFlow() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.pass(20);
    assertThat(at.node().capMeters.asked).as("no rule for flows that nobody caps").isEmpty();

    at.hit("s2/3", 8);
    assertThat(meters()).containsExactly(meter("s1/2", "s2/3", EDGE / 2, "10.0.0.3"));
    at.hit("s2/3", 5);
    assertThat(meters()).containsExactly(meter("s1/2", "s2/3", EDGE, "10.0.0.3"));
    at.large("h1", 20_000, flow(1, 3), flow("fd00::1", "fd00::3"));
    at.passMillis(100);
    assertThat(meters())
        .as("the cap is over, the meter stays for the next")
        .containsExactly(meter("s1/2", "s2/3", CapMeter.UNLIMITED, "10.0.0.3", "fd00::3"));
    at.passMillis(1500);
    assertThat(meters()).isEmpty();
    int asked = at.node().capMeters.asked.size();
    at.passMillis(500);
    assertThat(at.node().capMeters.asked).hasSize(asked);
  }

  @Test
  void meterMatchesTheDscpOfTheLastLevel() {
    start("caps", "microflow", "backgroundDscp", 8);
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(meters()).hasSize(1);
    assertThat(meters().get(0).dscp()).isEqualTo(8);
  }

  @Test
  void disablingCapsRemovesMeters() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.node().set("caps", "off");
    at.pass(1);
    assertThat(meters()).isEmpty();
  }

  @Test
  void reenabledCapsReinstallMeters() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.node().set("caps", "off");
    at.pass(1);
    at.node().set("caps", "microflow");
    at.pass(1);
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    at.large("h1", 20_000, flow(1, 3), flow("fd00::1", "fd00::3"));
    at.passMillis(60);
    assertThat(meters()).containsExactly(meter("s1/2", "s2/3", EDGE / 2, "10.0.0.3", "fd00::3"));
  }

  @Test
  void stoppingNodeRemovesItsMeters() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(meters()).hasSize(1);
    at.node().stop();
    assertThat(meters()).isEmpty();
  }

  @Test
  void connectedAgentReplacesTheMeter() {
    start("caps", "microflow");
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(meters()).hasSize(1);
    at.connectPortAgent(P1, "s1/2");
    assertThat(meters()).isEmpty();
    at.large("h1", 30_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(meters()).isEmpty();
    assertThat(at.caps(P1)).isNotEmpty();
  }

  @Test
  void noMeterIsInstalledWhileAnotherApplicationForwards() {
    start("caps", "microflow");
    at.network.setForwarding(false, true);
    at.pass(2);
    at.large("h1", 20_000, flow(1, 3));
    at.hit("s2/3", 8);
    assertThat(meters()).isEmpty();
    at.passMillis(90);
    assertThat(at.node().controller().queues().caps()).isEmpty();
  }

  /** Both receive the same, and each sees to its own switch. */
  @Test
  void metersAreInstalledByTheMasterOfTheUpstreamSwitch() {
    QueueNetwork two = new QueueNetwork("n1", "n2");
    two.network.setMaster("s1", "n2");
    two.start("caps", "microflow").connectPortAgent(P2, "s2/3", "s2/4");
    two.large("h1", 20_000, flow(1, 3));
    two.large("h2", 20_000, flow(2, 3));
    two.hit("s2/3", 8);
    assertThat(meters(two.nodes.get(0)))
        .containsExactly(meter("s3/2", "s2/3", EDGE / 2, "10.0.0.3"));
    assertThat(meters(two.nodes.get(1)))
        .containsExactly(meter("s1/2", "s2/3", EDGE / 2, "10.0.0.3"));

    two.network.setMaster("s1", "n1");
    two.pass(1);
    assertThat(meters(two.nodes.get(1))).isEmpty();
    two.large("h1", 30_000, flow(1, 3));
    two.hit("s2/3", 8);
    assertThat(meters(two.nodes.get(0))).hasSize(2);
  }

  @Test
  void unenforceableCapIsShown() {
    start("caps", "microflow");
    at.node().capMeters.refusing.add(datapath("s1"));
    for (int i = 0; i < 50; i++) {
      at.large("h1", 20_000 + i, flow(1, 3));
      at.hit("s2/3", 8);
    }
    assertThat(at.node().controller().queues().caps())
        .extracting(ActiveCap::enforcer)
        .containsExactly(ActiveCap.Enforcer.NONE);
    assertThat(at.node().controller().doctor().examine())
        .anySatisfy(
            finding -> {
              assertThat(finding.about()).isEqualTo(port("s1/2").toString());
              assertThat(finding.what()).contains("cannot be held back", port("s2/3").toString());
            });
    at.node().set("caps", "off");
    at.passMillis(1000);
    assertThat(at.node().controller().doctor().examine())
        .noneMatch(finding -> finding.what().contains("cannot be held back"));
  }
}
