// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.hello;
import static org.sluice.core.testing.Samples.port;

import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

class EndpointLocationsTest {
  private static final String MAC = "02:00:00:00:01:01";
  private static final ReportedEndpoint ENDPOINT = endpoint("h1/vm0", MAC, "10.0.0.1");
  private static final IpAddress IP = IpAddress.parse("10.0.0.1");

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final FakeLink link = new FakeLink();
  private final RegistryFixture registry =
      new RegistryFixture(link, new NodeJournal(network.time), network.time);
  private final EndpointRegistry endpoints = registry.endpoints;
  private final EndpointLocations locations =
      registry.locations(network, new MemoryNode(network, "n1"));

  @BeforeEach
  void start() {
    locations.start();
  }

  private Optional<PortId> attachment() {
    network.time.advanceMillis(1);
    return network.locate(IP);
  }

  /** A platform ends listeners that take long, and agents' sessions must not wait. */
  @Test
  void whoReportsHostsEndpointsOrMastersIsNotHeldUp() {
    network.seen(MAC, "s1/1");
    link.connect(hello("h1", ENDPOINT));
    network.setMaster("s1", "n1");
    assertThat(network.locate(IP)).isEmpty();
    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void locationsOfThePlatformAreAdopted() {
    network.seen(MAC, "s1/1", "10.0.0.1");

    assertThat(attachment()).contains(port("s1/1"));
    assertThat(locations.locate(ENDPOINT)).contains(port("s1/1"));
  }

  @Test
  void earlierLocationsOfThePlatformAreAdopted() {
    locations.stop();
    network.seen(MAC, "s1/1", "10.0.0.1");
    assertThat(attachment()).isEmpty();

    locations.start();

    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void macAddressSufficesWhereAnAgentReportsItsIpAddresses() {
    link.connect(hello("h1", ENDPOINT));
    network.seen(MAC, "s1/1");

    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void orderOfSightingAndReportIsIrrelevant() {
    network.seen(MAC, "s1/1");
    link.connect(hello("h1", ENDPOINT));

    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void sightingOfAForeignMacDoesNotMoveAnAddress() {
    link.connect(hello("h1", ENDPOINT));
    network.seen(MAC, "s1/1", "10.0.0.1");

    network.seen("02:00:00:00:01:66", "s2/1", "10.0.0.1");

    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void removedHostLosesItsLocation() {
    network.seen(MAC, "s1/1", "10.0.0.1");
    network.gone(MAC);

    assertThat(attachment()).isEmpty();
    assertThat(locations.locate(ENDPOINT)).isEmpty();
  }

  @Test
  void hostOfADisconnectedSwitchKeepsItsLocation() {
    network.seen(MAC, "s1/1", "10.0.0.1");
    network.disconnect("s1");
    network.gone(MAC);

    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void interSwitchPortHasNoAttachments() {
    network.seen(MAC, "s2/5", "10.0.0.1");

    assertThat(attachment()).isEmpty();
    assertThat(locations.locate(ENDPOINT)).isEmpty();
  }

  /** A node that was held up learns where the VM was, when another one knows where it is. */
  @Test
  void lateSightingAtASwitchOfAnotherMasterIsIgnored() {
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n2");
    EndpointLocations elsewhere = registry.locations(network, new MemoryNode(network, "n2"));
    elsewhere.start();
    network.seen(MAC, "s1/1", "10.0.0.1");
    HostSightings.Sighting old = network.all().iterator().next();
    network.seen(MAC, "s2/1", "10.0.0.1");

    elsewhere.seen(old);
    elsewhere.gone(old);

    assertThat(attachment()).contains(port("s2/1"));
    network.setMaster("s2", "n1");
    assertThat(attachment()).contains(port("s2/1"));
  }

  @Test
  void newMasterWritesSightingsThatTheFormerOneCouldNot() {
    network.setMaster("s1", "n9");
    network.seen(MAC, "s1/1", "10.0.0.1");
    assertThat(attachment()).isEmpty();

    network.setMaster("s1", "n1");

    assertThat(attachment()).contains(port("s1/1"));
  }

  @Test
  void expiredLocationDoesNotReturnWithAnUnrelatedReport() {
    network.seen("02:00:00:00:01:66", "s2/1", "10.0.0.6");
    network.time.advanceMillis(1);
    IpAddress other = IpAddress.parse("10.0.0.6");
    assertThat(network.locate(other)).isPresent();
    network.forget(other);

    link.connect(hello("h1", ENDPOINT));
    network.time.advanceMillis(1);

    assertThat(network.locate(other)).isEmpty();
  }

  @Test
  void refusedClaimantIsLocatedOnceTheHolderReleasesTheAddress() {
    link.connect(hello("h1", ENDPOINT));
    network.seen("02:00:00:00:01:66", "s2/1", "10.0.0.1");
    assertThat(attachment()).isEmpty();

    link.connect(hello("h1"));

    assertThat(attachment()).contains(port("s2/1"));
  }
}
