// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.endpoint;
import static org.sluice.core.testing.Samples.endpointId;
import static org.sluice.core.testing.Samples.hello;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.registry.EndpointLocations;
import org.sluice.core.registry.EndpointRegistry;
import org.sluice.core.registry.RegistryFixture;
import org.sluice.core.tenant.TenantDirectories;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;
import org.sluice.engine.path.Path;

class EndpointPathsTest {
  private static final String MAC1 = "02:00:00:00:01:01";
  private static final String MAC2 = "02:00:00:00:01:02";
  private static final String MAC5 = "02:00:00:00:01:05";
  private static final EndpointId SOURCE = endpointId("h1/vm0");

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 2, 5, 6).connect("s2", 1, 5, 6).link("s1/5", "s2/5");
  private final FakeLink link = new FakeLink();
  private final RegistryFixture registry =
      new RegistryFixture(link, new NodeJournal(network.time), network.time);
  private final EndpointRegistry endpoints = registry.endpoints;
  private final EndpointLocations locations =
      registry.locations(network, new MemoryNode(network, "n1"));
  private final EndpointPaths paths =
      new EndpointPaths(
          network,
          network,
          endpoints,
          locations,
          network,
          new ReceivePorts(link, endpoints, TenantDirectories.of(limited()), false));

  @BeforeEach
  void start() {
    locations.start();
    link.connect(hello("h1", endpoint("h1/vm0", MAC1, "10.0.0.1")));
    link.connect(hello("h2", endpoint("h2/vm0", MAC2, "10.0.0.2")));
    seen(MAC1, "s1/1", "10.0.0.1");
    seen(MAC5, "s2/1", "10.0.0.5");
  }

  private void seen(String mac, String at, String ip) {
    network.seen(mac, at, ip);
    network.time.advanceMillis(1);
  }

  /** 10.0.0.2 alone has a receive ceiling. */
  private static Tenant limited() {
    try {
      return Tenant.builder(TenantId.of("limited"))
          .receiveCeilingBitsPerSecond(20_000_000)
          .members(List.of(Member.ofPrefix(IpPrefix.parse("10.0.0.2/32"))))
          .build();
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> hops(String destination) {
    return paths.path(SOURCE, IpAddress.parse(destination)).orElseThrow().hops().stream()
        .map(Path.Hop::toString)
        .collect(Collectors.toList());
  }

  @Test
  void pathHasEveryEgressPortAndEndsAtTheEdgePort() {
    assertThat(hops("10.0.0.5")).containsExactly("of:0000000000000001/5", "of:0000000000000002/1");
    assertThat(paths.path(SOURCE, IpAddress.parse("10.0.0.5")).orElseThrow().estimated()).isFalse();
  }

  @Test
  void pathWithinASwitchIsTheEdgePort() {
    seen(MAC5, "s1/2", "10.0.0.5");

    assertThat(hops("10.0.0.5")).containsExactly("of:0000000000000001/2");
  }

  @Test
  void pathEndsAtTheReceivePort() {
    seen(MAC2, "s1/2", "10.0.0.2");

    assertThat(hops("10.0.0.2")).containsExactly("of:0000000000000001/2", "host:h2/vm0");
    network.setForwarding(true, false);
    assertThat(hops("10.0.0.2")).containsExactly("of:0000000000000001/2", "host:h2/vm0");
  }

  @Test
  void pathBetweenEndpointsBehindOnePortIsEmpty() {
    seen(MAC2, "s1/1", "10.0.0.2");

    assertThat(hops("10.0.0.2")).isEmpty();
  }

  @Test
  void unknownAddressHasNoPath() {
    assertThat(paths.path(SOURCE, IpAddress.parse("10.0.0.9"))).isEmpty();
    assertThat(paths.path(endpointId("h2/vm0"), IpAddress.parse("10.0.0.5"))).isEmpty();
    assertThat(paths.path(endpointId("h9/vm0"), IpAddress.parse("10.0.0.5"))).isEmpty();
  }

  @Test
  void disconnectedSwitchesHaveNoPath() {
    network.cut("s1/5", "s2/5");

    assertThat(paths.path(SOURCE, IpAddress.parse("10.0.0.5"))).isEmpty();
  }

  @Test
  void addedLinkSharesTrafficFromTheNextEpoch() {
    long epoch = paths.epoch();
    network.link("s1/6", "s2/6");

    assertThat(paths.epoch()).isGreaterThan(epoch);
    assertThat(hops("10.0.0.5"))
        .containsExactly(
            "of:0000000000000001/5 x 0.5", "of:0000000000000001/6 x 0.5", "of:0000000000000002/1");
  }

  @Test
  void spreadingByDestinationGivesEachDestinationOnePath() {
    network.link("s1/6", "s2/6");
    long epoch = paths.epoch();
    network.setForwarding(true, false);

    assertThat(paths.epoch()).isGreaterThan(epoch);
    assertThat(hops("10.0.0.5")).hasSize(2).last().isEqualTo("of:0000000000000002/1");
    assertThat(hops("10.0.0.5").get(0)).matches("of:0000000000000001/[56]");
  }

  @Test
  void movedEndpointHasItsNewPathFromTheNextEpoch() {
    long epoch = paths.epoch();
    assertThat(hops("10.0.0.5")).hasSize(2);
    seen(MAC5, "s1/2", "10.0.0.5");

    assertThat(paths.epoch()).isGreaterThan(epoch);
    assertThat(hops("10.0.0.5")).containsExactly("of:0000000000000001/2");
  }

  @Test
  void equalPathsAreTheSameObject() {
    IpAddress destination = IpAddress.parse("10.0.0.5");
    seen(MAC2, "s1/2", "10.0.0.2");

    Optional<Path> first = paths.path(SOURCE, destination);

    assertThat(paths.path(endpointId("h2/vm0"), destination).orElseThrow())
        .isSameAs(first.orElseThrow());
  }

  @Test
  void pathsAreEstimatedWhileAnotherApplicationForwards() {
    long epoch = paths.epoch();
    network.setForwarding(false, true);

    assertThat(paths.epoch()).isGreaterThan(epoch);
    assertThat(paths.path(SOURCE, IpAddress.parse("10.0.0.5")).orElseThrow().estimated()).isTrue();
  }
}
