// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.EndpointTraffic;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantService;
import org.sluice.api.history.PortMoment;
import org.sluice.api.history.RateHistoryService;
import org.sluice.api.history.RateMoment;
import org.sluice.core.testing.VirtualTime;

class RateRecorderTest {
  private static final PortId FULL = PortId.parse("of:0000000000000001/5");
  private static final TenantId RED = TenantId.of("red");
  private static final TenantId BLUE = TenantId.of("blue");

  private final VirtualTime time = new VirtualTime();
  private final Network network = new Network();
  private final RateRecorder recorder = new RateRecorder(network, network, network, time);

  /** One congested port, and endpoints that a test adds. */
  private static final class Network implements EndpointService, PortService, TenantService {
    final List<Endpoint> endpoints = new ArrayList<>();
    boolean fails;

    void add(int number, TenantId tenant, long bitsPerSecond, PortLimit... limits) {
      endpoints.add(
          Endpoint.of(
              EndpointId.of(HostId.of("h" + number), "vm0"),
              MacAddress.parse("02:00:00:00:00:01"),
              Set.of(),
              tenant,
              Optional.empty(),
              0,
              List.of(limits),
              EndpointTraffic.of(bitsPerSecond, 0, 0, false)));
    }

    @Override
    public List<Endpoint> endpoints() {
      if (fails) {
        throw new IllegalStateException("is being changed");
      }
      return endpoints;
    }

    @Override
    public Optional<Endpoint> endpoint(EndpointId id) {
      return Optional.empty();
    }

    @Override
    public Optional<Endpoint> endpoint(IpAddress ip) {
      return Optional.empty();
    }

    @Override
    public List<PortStatus> ports() {
      PortStatus free =
          PortStatus.builder(PortId.parse("of:0000000000000001/6"))
              .capacityBitsPerSecond(50_000_000)
              .capacitySource(PortStatus.CapacitySource.SWITCH)
              .build();
      return List.of(
          PortStatus.builder(FULL)
              .capacityBitsPerSecond(50_000_000)
              .capacitySource(PortStatus.CapacitySource.SWITCH)
              .congested(true)
              .loadBitsPerSecond(49_000_000)
              .unitShareBitsPerSecond(10_000_000)
              .build(),
          free);
    }

    @Override
    public Optional<PortStatus> port(PortId id) {
      return Optional.empty();
    }

    @Override
    public List<Tenant> tenants() {
      try {
        return List.of(Tenant.builder(RED).weight(2).build());
      } catch (SluiceException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public Optional<Tenant> tenant(TenantId id) {
      return tenants().stream().filter(tenant -> tenant.id().equals(id)).findFirst();
    }
  }

  @BeforeEach
  void start() {
    recorder.start();
  }

  @AfterEach
  void stop() {
    recorder.stop();
  }

  @Test
  void momentsHaveTenantsEverywhereAndAtCongestedPorts() {
    network.add(1, RED, 20_000_000, PortLimit.of(FULL, 20_000_000, 0));
    network.add(2, RED, 5_000_000);
    network.add(3, BLUE, 7_000_000, PortLimit.of(FULL, 20_000_000, 0));
    network.add(4, TenantId.of("idle"), 0);
    time.advanceMillis(5_000);

    List<RateMoment> moments = recorder.moments(3600);
    assertThat(moments).hasSize(1);
    assertThat(moments.get(0).time().toEpochMilli()).isEqualTo(time.wallMicros() / 1000);
    assertThat(moments.get(0).deliveredBitsPerSecond())
        .isEqualTo(Map.of(RED, 25_000_000L, BLUE, 7_000_000L));
    assertThat(moments.get(0).ports())
        .containsExactly(
            PortMoment.of(
                FULL,
                50_000_000,
                49_000_000,
                Map.of(RED, 20_000_000L, BLUE, 7_000_000L),
                Map.of(RED, 20_000_000L)));
  }

  @Test
  void lastHourIsKeptAndNoMore() {
    time.advanceMillis(3 * 3600 * 1000);
    List<RateMoment> all = recorder.moments(RateHistoryService.SECONDS);
    assertThat(all).hasSize(720);
    assertThat(recorder.moments(60)).isEqualTo(all.subList(707, 720));
  }

  /** Charts show fewer lines, and memory is not the network's to fill. */
  @Test
  void tenantsWithTheHighestRatesAreKept() {
    for (int n = 1; n <= 100; n++) {
      network.add(n, TenantId.of("t" + n), n);
    }
    time.advanceMillis(5_000);
    Map<TenantId, Long> kept = recorder.moments(60).get(0).deliveredBitsPerSecond();
    assertThat(kept).hasSize(32).containsKey(TenantId.of("t100")).doesNotContainKey(RED);
    assertThat(kept.values()).allMatch(rate -> rate > 68);
  }

  @Test
  void failureLeavesAGapAlone() {
    network.fails = true;
    time.advanceMillis(5_000);
    network.fails = false;
    time.advanceMillis(5_000);
    assertThat(recorder.moments(60)).hasSize(1);
  }
}
