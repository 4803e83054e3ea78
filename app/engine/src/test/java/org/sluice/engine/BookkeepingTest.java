// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.sluice.api.PortStatus;
import org.sluice.api.TenantId;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** Whatever happens, the running sums are what counting anew gives, and silence leaves nothing. */
class BookkeepingTest {
  private static final int ENDPOINTS = 6;
  private static final int PORTS = 5;

  private final EngineFixture fixture = new EngineFixture();
  private final Set<Integer> present = new HashSet<>();

  @Property(tries = 150)
  void sumsAreExactAndNothingLeaks(
      @ForAll @Size(max = 150) List<@IntRange(min = 0, max = 999_999) Integer> steps) {
    BookkeepingTest test = new BookkeepingTest();
    for (int p = 0; p < PORTS; p++) {
      test.fixture.portOf(p, 100L * (p + 1));
    }
    for (int n = 0; n < ENDPOINTS; n++) {
      test.add(n, 1);
    }
    for (int step : steps) {
      test.step(step);
    }
    test.fixture.tick();
    test.compare();
    test.fixture.pass(2_500);
    test.compareWithNothing();
  }

  private void add(int n, double weight) {
    present.add(n);
    fixture.endpointAt(n, weight);
  }

  /** One of the things that can happen, chosen and furnished by the digits of a number. */
  private void step(int digits) {
    int a = digits / 10 % ENDPOINTS;
    int b = digits / 100 % ENDPOINTS;
    int c = digits / 1000 % 10;
    switch (digits % 10) {
      case 0:
        fixture.tick();
        compare();
        break;
      case 1:
        fixture.pass(20L * (c + 1));
        compare();
        break;
      case 2:
        fixture.path(a, b, c % PORTS, (c + 1 + digits / 10_000 % (PORTS - 1)) % PORTS);
        fixture.topologyChanged();
        break;
      case 3:
        fixture.noPath(a, b).topologyChanged();
        break;
      case 4:
        fixture.engine.removeEndpoint(EngineFixture.endpoint(a));
        present.remove(a);
        break;
      case 5:
        add(a, 1 + c);
        break;
      case 6:
        fixture.engine.putEndpoint(
            EngineFixture.profile(a, 1 + c, c * 1_000_000L, 0), Set.of(EngineFixture.ip(a)));
        present.add(a);
        break;
      default:
        fixture.traffic(a, b, c, c / 3);
        break;
    }
  }

  private void compare() {
    EngineState state = fixture.engine.state;
    PairTable pairs = state.pairs;
    Map<Integer, Long> loads = new HashMap<>();
    Map<TenantId, Long> delivered = new HashMap<>();
    Map<Integer, Set<Integer>> endpoints = new HashMap<>();
    int active = 0;
    for (int pair = 0; pair < pairs.limit(); pair++) {
      if (pairs.endpoint[pair] >= 0 && pairs.isActive(pair)) {
        active++;
        TenantId sender = state.tenants.id[state.endpoints.tenant[pairs.endpoint[pair]]];
        delivered.merge(sender, pairs.rateBitsPerSecond(pair), Long::sum);
        int path = pairs.path(pair);
        for (int h = 0; path >= 0 && h < state.paths.hopCount(path); h++) {
          int port = state.paths.portAt(state.paths.firstHop(path) + h);
          loads.merge(port, pairs.rateBitsPerSecond(pair), Long::sum);
          endpoints.computeIfAbsent(port, p -> new HashSet<>()).add(pairs.endpoint[pair]);
        }
      }
    }
    assertThat(fixture.figure(Figure.ACTIVE_PAIRS)).isEqualTo(active);
    for (int row = 0; row < state.tenants.size(); row++) {
      assertThat(state.tenants.deliveredBitsPerSecond[row])
          .isEqualTo(delivered.getOrDefault(state.tenants.id[row], 0L));
    }
    assertThat(fixture.figure(Figure.REMEMBERED_PAIRS)).isEqualTo(pairs.size());
    for (int p = 0; p < PORTS; p++) {
      int row = state.ports.find(EngineFixture.port(p));
      Set<Integer> through = endpoints.getOrDefault(row, Set.of());
      PortStatus status = fixture.status(p);
      assertThat(fixture.load(p)).isEqualTo(loads.getOrDefault(row, 0L));
      assertThat(status.activeEndpoints()).isEqualTo(through.size());
      long weight = through.stream().mapToLong(e -> state.endpoints.weightMicros[e]).sum();
      assertThat(state.ports.activeWeightMicros[row]).isEqualTo(weight);
      long guaranteed =
          through.stream().filter(e -> state.endpoints.guaranteeBitsPerSecond[e] > 0).count();
      assertThat(state.ports.guaranteedEndpoints[row]).isEqualTo((int) guaranteed);
    }
  }

  private void compareWithNothing() {
    EngineState state = fixture.engine.state;
    assertThat(state.pairs.size()).isZero();
    assertThat(state.crossings.size()).isZero();
    assertThat(state.paths.size()).isZero();
    assertThat(state.addresses.size()).isEqualTo(present.size());
    assertThat(fixture.figure(Figure.UNKNOWN_PATH_PAIRS)).isZero();
    assertThat(fixture.figure(Figure.CONTROLLED_PORTS)).isZero();
    assertThat(state.hosts.activeWeightMicros).containsOnly(0);
    assertThat(state.tenants.deliveredBitsPerSecond).containsOnly(0);
    assertThat(state.ports.activeWeightMicros).containsOnly(0);
    assertThat(state.ports.loadBitsPerSecond).containsOnly(0);
    assertThat(state.ports.guaranteedEndpoints).containsOnly(0);
    for (int p = 0; p < state.ports.size(); p++) {
      assertThat(state.ports.firstCrossing[p]).isEqualTo(-1);
    }
  }
}
