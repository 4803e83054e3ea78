// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointSample;
import org.sluice.api.link.GroupSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.VirtualTime;

class EndpointDirectoryTest {
  private static final EndpointId ID = endpointId("h1/vm0");
  private static final PortId EDGE = PortId.parse("of:0000000000000001/1");
  private static final ReportedEndpoint REPORTED =
      endpoint("h1/vm0", "02:00:00:00:01:01", "10.0.0.1");

  private final VirtualTime time = new VirtualTime();
  private final FakeLink link = new FakeLink();
  private final RegistryFixture registry = new RegistryFixture(link, new NodeJournal(time), time);
  private final EndpointDirectory directory =
      new EndpointDirectory(
          registry.endpoints,
          new OneTenant("t1"),
          endpoint -> Optional.of(EDGE),
          link,
          () -> Map.of(ID, EndpointTraffic.of(9_000_000, 0, 0, true)));

  @BeforeEach
  void start() {
    directory.start();
    link.connect(hello("h1", REPORTED));
  }

  private void observeRate(long bitsPerSecond, GroupSample... groups) {
    HostObservation observation =
        HostObservation.of(
            HostId.of("h1"),
            1,
            1,
            List.of(),
            List.of(EndpointSample.of(ID, bitsPerSecond, 3000, 2, 0, 0, 0, 0, List.of(groups))));
    link.report(UplinkMessage.ofObservation(observation));
  }

  @Test
  void endpointHasTheAddressesThatItDoesNotGet() {
    link.connect(hello("h2", endpoint("h2/vm0", "02:00:00:00:02:01", "10.0.0.1", "10.0.0.2")));
    assertThat(directory.endpoint(endpointId("h2/vm0")).orElseThrow().refusedIps())
        .containsExactly(
            Map.entry(IpAddress.parse("10.0.0.1"), "h1/vm0 claimed it first and still holds it"));
    assertThat(directory.endpoint(ID).orElseThrow().refusedIps()).isEmpty();
  }

  @Test
  void endpointCombinesAllSources() {
    observeRate(12_000_000);

    Endpoint expected =
        Endpoint.of(
            ID,
            REPORTED.mac(),
            REPORTED.ips(),
            TenantId.of("t1"),
            Optional.of(EDGE),
            12_000_000,
            List.of(),
            EndpointTraffic.of(9_000_000, 3000, 2, true));
    assertThat(directory.endpoints()).containsExactly(expected);
    assertThat(directory.endpoint(ID)).contains(expected);
    assertThat(directory.endpoint(IpAddress.parse("10.0.0.1"))).contains(expected);
    assertThat(directory.endpoint(IpAddress.parse("10.0.0.9"))).isEmpty();
  }

  @Test
  void dropsAddUpWithinASession() {
    observeRate(12_000_000);
    observeRate(12_000_000);
    assertThat(traffic().droppedPackets()).isEqualTo(4);
    link.disconnect(HostId.of("h1"));
    assertThat(traffic()).isEqualTo(EndpointTraffic.UNKNOWN);
    link.connect(hello("h1", REPORTED));
    observeRate(12_000_000);
    assertThat(traffic().droppedPackets()).isEqualTo(2);
  }

  @Test
  void unenforcedLimitsHoldNoEndpointBack() {
    observeRate(0);
    assertThat(traffic().heldBack()).isFalse();
    assertThat(traffic().deliveredBitsPerSecond()).isEqualTo(9_000_000);
  }

  private EndpointTraffic traffic() {
    return directory.endpoint(ID).orElseThrow().traffic();
  }

  @Test
  void limitIsUnknownAfterItsHostDisconnected() {
    observeRate(12_000_000);
    link.disconnect(HostId.of("h1"));

    assertThat(directory.endpoint(ID)).map(Endpoint::rateBitsPerSecond).contains(0L);
  }

  @Test
  void limitingPortsAreListedLowestLimitFirst() {
    PortId other = PortId.parse("of:0000000000000002/3");
    GroupSample[] groups = {
      GroupSample.of(EDGE, 20_000_000, 0.1, 1500), GroupSample.of(other, 12_500_000, 0.4, 1500)
    };
    observeRate(50_000_000, groups);
    assertThat(directory.endpoint(ID).orElseThrow().limits())
        .containsExactly(PortLimit.of(other, 12_500_000, 0.4), PortLimit.of(EDGE, 20_000_000, 0.1));

    observeRate(0, groups);
    assertThat(directory.endpoint(ID).orElseThrow().limits()).as("not enforced").isEmpty();

    observeRate(50_000_000, groups);
    link.disconnect(HostId.of("h1"));
    assertThat(directory.endpoint(ID).orElseThrow().limits()).isEmpty();
  }
}
