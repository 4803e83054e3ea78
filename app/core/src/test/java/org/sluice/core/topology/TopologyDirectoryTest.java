// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.topology.Attachment;
import org.sluice.api.topology.NetworkTopology;
import org.sluice.api.topology.SwitchLink;
import org.sluice.api.topology.SwitchStatus;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.EndpointLocations;
import org.sluice.core.registry.EndpointRegistry;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** Two leaves, s1 and s2, under two spines, s3 and s4, with a core, s5, above s3. */
class TopologyDirectoryTest {
  private static final String MAC = "02:00:00:00:01:01";
  private static final String OTHER_MAC = "02:00:00:00:01:02";

  private final MemoryNetwork network =
      new MemoryNetwork()
          .connect("s1", 1, 2, 3, 4)
          .connect("s2", 1, 3, 4)
          .connect("s3", 1, 2, 5)
          .connect("s4", 1, 2)
          .connect("s5", 3)
          .connect("s6", 1)
          .link("s1/3", "s3/1")
          .link("s2/3", "s3/2")
          .link("s1/4", "s4/1")
          .link("s2/4", "s4/2")
          .link("s3/5", "s5/3");
  private final FakeLink link = new FakeLink();
  private final RegistryFixture registry =
      new RegistryFixture(link, new NodeJournal(network.time), network.time);
  private final EndpointRegistry endpoints = registry.endpoints;
  private final EndpointLocations locations =
      registry.locations(network, new MemoryNode(network, "n1"));
  private final TopologyDirectory directory =
      new TopologyDirectory(network, network, network, endpoints, locations);

  @BeforeEach
  void start() {
    locations.start();
    link.connect(hello("h1", endpoint("h1/vm0", MAC, "10.0.0.1")));
  }

  private SwitchStatus status(String name) {
    return directory.topology().switches().stream()
        .filter(each -> each.datapath().equals(datapath(name)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void linksHaveTwoDirections() {
    assertThat(directory.topology().links())
        .hasSize(10)
        .contains(
            SwitchLink.of(port("s1/3"), port("s3/1")), SwitchLink.of(port("s3/1"), port("s1/3")));
  }

  @Test
  void layerIsTheHopCountToTheNearestAttachment() {
    assertThat(directory.topology().switches())
        .extracting(SwitchStatus::layer)
        .as("nothing is attached yet")
        .containsOnly(OptionalInt.empty());

    network.seen(MAC, "s1/1", "10.0.0.1");
    network.seen(OTHER_MAC, "s2/1", "10.0.0.2");

    assertThat(status("s1").layer()).hasValue(0);
    assertThat(status("s2").layer()).hasValue(0);
    assertThat(status("s3").layer()).hasValue(1);
    assertThat(status("s4").layer()).hasValue(1);
    assertThat(status("s5").layer()).hasValue(2);
    assertThat(status("s6").layer()).as("no link leads to it").isEmpty();
  }

  @Test
  void hostsAreShownWhereAgentsReport() {
    network.seen(MAC, "s1/1", "10.0.0.1");
    network.seen("02:00:00:00:02:01", "s1/1"); // The host's own interface.
    network.seen(OTHER_MAC, "s2/1", "10.0.0.2");
    network.seen("02:00:00:00:03:01", "s1/3", "10.0.0.3"); // Strayed over a link.

    assertThat(directory.topology().attachments())
        .containsExactly(
            Attachment.of(Optional.of(HostId.of("h1")), port("s1/1")),
            Attachment.of(Optional.empty(), port("s2/1")));
  }

  @Test
  void twoHostsBehindOnePortAreTwo() {
    link.connect(hello("h2", endpoint("h2/vm0", OTHER_MAC, "10.0.0.2")));
    network.seen(MAC, "s1/1", "10.0.0.1");
    network.seen(OTHER_MAC, "s1/1", "10.0.0.2");

    assertThat(directory.topology().attachments())
        .extracting(Attachment::host)
        .containsExactly(Optional.of(HostId.of("h1")), Optional.of(HostId.of("h2")));
  }

  @Test
  void disconnectedSwitchIsShownAsDisconnected() {
    assertThat(status("s2"))
        .isEqualTo(SwitchStatus.of(datapath("s2"), "switch 2", true, OptionalInt.empty()));

    network.disconnect("s2");

    assertThat(status("s2").available()).isFalse();
    assertThat(status("s1").available()).isTrue();
  }

  @Test
  void aNetworkWithoutSwitchesIsEmpty() {
    MemoryNetwork none = new MemoryNetwork();
    NetworkTopology topology =
        new TopologyDirectory(none, none, none, endpoints, locations).topology();

    assertThat(topology.switches()).isEmpty();
    assertThat(topology.links()).isEmpty();
    assertThat(topology.attachments()).isEmpty();
  }
}
