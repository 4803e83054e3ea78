// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.endpoint;
import static org.sluice.onos.testing.Samples.hello;
import static org.sluice.onos.testing.Samples.point;
import static org.sluice.onos.testing.Waiting.until;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onlab.packet.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

class HostLocationsTest {
  private static final String MAC = "02:00:00:00:01:01";
  private static final ReportedEndpoint ENDPOINT = endpoint("h1/vm0", MAC, "10.0.0.1");
  private static final IpAddress IP = IpAddress.valueOf("10.0.0.1");

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);

  @BeforeEach
  void start() {
    world.switches.connect("s1", 1, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
    node.start();
    until(() -> assertThat(node.topology.interSwitchPorts()).hasSize(2));
  }

  @AfterEach
  void stop() {
    node.stop();
    world.close();
  }

  @Test
  void whatOnosLearntIsTakenOver() {
    world.hosts.seen(MAC, "s1/1", "10.0.0.1");

    assertThat(node.attachments.locate(IP)).contains(point("s1/1"));
    assertThat(node.locations.locate(ENDPOINT)).contains(PortId.parse("of:0000000000000001/1"));
  }

  @Test
  void aMacAloneIsEnoughWhereAnAgentKnowsItsAddresses() {
    node.link.connect(hello("h1", ENDPOINT));
    world.hosts.seen(MAC, "s1/1");

    assertThat(node.attachments.locate(IP)).contains(point("s1/1"));
  }

  @Test
  void theOrderDoesNotMatter() {
    world.hosts.seen(MAC, "s1/1");
    node.link.connect(hello("h1", ENDPOINT));

    assertThat(node.attachments.locate(IP)).contains(point("s1/1"));
  }

  @Test
  void aHostThatIsGoneIsForgotten() {
    world.hosts.seen(MAC, "s1/1", "10.0.0.1");
    world.hosts.gone(MAC);

    assertThat(node.attachments.locate(IP)).isEmpty();
    assertThat(node.locations.locate(ENDPOINT)).isEmpty();
  }

  @Test
  void aHostOfASwitchThatIsAwayStaysWhereItIs() {
    world.hosts.seen(MAC, "s1/1", "10.0.0.1");
    world.switches.disconnect("s1");
    world.hosts.gone(MAC);

    assertThat(node.attachments.locate(IP)).contains(point("s1/1"));
  }

  @Test
  void nobodyIsAttachedBehindASwitchThatIsAway() {
    world.switches.disconnect("s1");
    until(
        () ->
            assertThat(
                    node.topology
                        .paths()
                        .nextHops(point("s2/1").deviceId(), point("s1/1").deviceId()))
                .hasSize(1));
    world.hosts.seen(MAC, "s2/5", "10.0.0.1");

    assertThat(node.attachments.locate(IP)).isEmpty();
  }

  @Test
  void nobodyIsAttachedToAPortBetweenSwitches() {
    world.hosts.seen(MAC, "s2/5", "10.0.0.1");

    assertThat(node.attachments.locate(IP)).isEmpty();
    assertThat(node.locations.locate(ENDPOINT)).isEmpty();
  }

  @Test
  void whatSeemedAttachedBeforeALinkWasFoundIsDropped() {
    world.switches.connect("s1", 1, 5, 6);
    world.switches.connect("s2", 1, 5, 6);
    world.hosts.seen(MAC, "s2/6", "10.0.0.1");
    assertThat(node.attachments.locate(IP)).contains(point("s2/6"));

    world.switches.link("s1/6", "s2/6");

    until(() -> assertThat(node.attachments.locate(IP)).isEmpty());
  }
}
