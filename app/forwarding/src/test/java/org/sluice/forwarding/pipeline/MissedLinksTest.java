// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.forwarding.frame.Frames;
import org.sluice.forwarding.testing.FabricNode;
import org.sluice.forwarding.testing.MemoryFabric;

/** Discovery misses links that are there, as when a node of the cluster returns. */
class MissedLinksTest {
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC5 = "02:00:00:00:01:05";
  private static final String MAC6 = "02:00:00:00:01:06";
  private static final List<String> SWITCHES = List.of("s1", "s2", "s3");

  /** Of a ring: each can be gone round. */
  private static final List<List<String>> LINKS =
      List.of(List.of("s1/5", "s2/5"), List.of("s2/6", "s3/5"), List.of("s3/6", "s1/6"));

  private final MemoryFabric fabric = new MemoryFabric();
  private final FabricNode node = new FabricNode(fabric);

  @BeforeEach
  void start() {
    SWITCHES.forEach(name -> fabric.connect(name, 1, 2, 5, 6));
    LINKS.forEach(link -> fabric.link(link.get(0), link.get(1)));
    node.start();
    node.link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    node.link.connect(hello("h5", endpoint("h5/vm0", MAC5, "10.0.0.5")));
    fabric.network.seen(MAC1, "s1/1", "10.0.0.1");
    fabric.network.seen(MAC5, "s2/1", "10.0.0.5");
    fabric.network.seen(MAC6, "s2/2", "10.0.0.6");
    for (int second = 0; second < 120; second++) { // The links are old.
      fabric.switches.poll();
      fabric.advanceSeconds(1);
    }
  }

  @AfterEach
  void stop() {
    node.stop();
  }

  private List<String> rules() {
    fabric.switches.poll();
    List<String> all = new ArrayList<>();
    SWITCHES.forEach(name -> fabric.switches.rules(name).forEach(rule -> all.add(name + rule)));
    return all;
  }

  private Optional<PortId> locate(String ip) {
    return node.plane.attachments().locate(IpAddress.parse(ip));
  }

  private void loseAllLinks() {
    LINKS.forEach(link -> fabric.unlink(link.get(0), link.get(1)));
  }

  /** What s2's machines send to s1 arrives there at the port to s2. */
  private void packetsArriveOverTheLink() {
    fabric.receive("s1/5", Frames.question(MAC5, "10.0.0.5", "10.0.0.1"));
    fabric.receive("s1/5", Frames.packet(MAC6, "10.0.0.6", "10.0.0.99"));
    fabric.network.seen(MAC5, "s1/5", "10.0.0.5");
    fabric.network.seen(MAC6, "s1/5", "10.0.0.6");
  }

  @Test
  void nothingMovesWhileAllLinksAreMissing() {
    List<String> before = rules();
    loseAllLinks();
    for (int second = 0; second < 10; second++) {
      fabric.advanceSeconds(1);
      packetsArriveOverTheLink();
      assertThat(locate("10.0.0.5")).contains(port("s2/1"));
      assertThat(locate("10.0.0.6")).contains(port("s2/2"));
      assertThat(node.plane.topology().isInterSwitch(port("s1/5"))).isTrue();
      assertThat(rules()).isEqualTo(before);
    }
    LINKS.forEach(link -> fabric.link(link.get(0), link.get(1)));
    fabric.advanceSeconds(1);
    assertThat(rules()).isEqualTo(before);
  }

  @Test
  void nothingMovesThoughOneLinkAloneIsMissing() {
    fabric.unlink("s1/5", "s2/5");
    for (int second = 0; second < 50; second++) {
      fabric.advanceSeconds(1);
      packetsArriveOverTheLink();
      assertThat(locate("10.0.0.5")).contains(port("s2/1"));
      assertThat(locate("10.0.0.6")).contains(port("s2/2"));
    }
    assertThat(rules()).as("packets go round").contains("s11/00100 ipv4, dst=10.0.0.5 -> output:6");
  }

  @Test
  void linksCountWhileANewMasterDiscoversThem() {
    fabric.loseMastership("s1");
    fabric.advanceSeconds(30);
    List<String> before = rules();
    fabric.gainMastership("s1");
    fabric.unlink("s1/5", "s2/5");
    fabric.advanceSeconds(5);
    assertThat(rules()).isEqualTo(before);
    fabric.advanceSeconds(15);
    assertThat(rules()).isNotEqualTo(before);
  }

  @Test
  void linkIsGivenUpAtOnceWhenItsPortsAreDown() {
    loseAllLinks();
    fabric.advanceSeconds(1);
    fabric.cut("s1/5", "s2/5");
    fabric.advanceSeconds(1);
    assertThat(rules()).contains("s11/00100 ipv4, dst=10.0.0.5 -> output:6");
  }

  @Test
  void packetsOfAnUndiscoveredLinkMoveNobody() {
    fabric.connect("s1", 7);
    for (int second = 0; second < 50; second++) {
      fabric.receive("s1/7", Frames.question(MAC5, "10.0.0.5", "10.0.0.1"));
      fabric.receive("s1/7", Frames.packet(MAC6, "10.0.0.6", "10.0.0.99"));
      fabric.receive("s2/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.98"));
      fabric.advanceSeconds(1);
      assertThat(locate("10.0.0.5")).contains(port("s2/1"));
      assertThat(locate("10.0.0.6")).contains(port("s2/2"));
    }
  }

  @Test
  void endpointMovesWhenItAnswersAtAnotherPort() {
    fabric.clearEmitted();
    fabric.receive("s3/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.1"));
    assertThat(locate("10.0.0.5")).contains(port("s2/1"));
    byte[] probe =
        fabric.emittedAt("s3/1").stream()
            .filter(frame -> Frames.message(frame).target().equals(IpAddress.parse("10.0.0.5")))
            .findFirst()
            .orElseThrow();

    fabric.receive("s3/1", Frames.answer(MAC5, "10.0.0.5", probe));

    assertThat(locate("10.0.0.5")).contains(port("s3/1"));
  }

  @Test
  void endpointMovesAtOnceWhenItsPortIsDown() {
    fabric.network.connect("s2", 2, 5, 6);
    fabric.receive("s3/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.1"));
    assertThat(locate("10.0.0.5")).contains(port("s3/1"));
  }

  @Test
  void endpointThatAnswersNoProbeMovesAfterAMinute() {
    for (int second = 0; second < 59; second++) {
      fabric.receive("s3/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.1"));
      assertThat(locate("10.0.0.5")).contains(port("s2/1"));
      fabric.advanceSeconds(1);
    }
    fabric.advanceSeconds(1);
    fabric.receive("s3/1", Frames.question(MAC5, "10.0.0.5", "10.0.0.1"));
    assertThat(locate("10.0.0.5")).contains(port("s3/1"));
  }

  @Test
  void packetsMoveEndpointsWhereAnotherApplicationForwards() {
    node.set("forwarding", "other");
    fabric.advanceSeconds(1);
    fabric.network.seen(MAC5, "s3/1", "10.0.0.5");
    fabric.advanceSeconds(1);
    assertThat(locate("10.0.0.5")).contains(port("s3/1"));
  }
}
