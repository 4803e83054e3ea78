// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.engine.marks.Attribution;
import org.sluice.engine.path.Path;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** Which port is held responsible for the marks that a receiver counted. */
class AttributionTest {

  @Test
  void busiestPortOfThePathGetsAllMarks() {
    EngineFixture fixture =
        new EngineFixture()
            .portOf(1, 100)
            .portOf(2, 100)
            .portOf(3, 100)
            .endpointAt(1)
            .endpointAt(9);
    fixture.endpointAt(2).path(1, 9, 1, 2, 3).path(2, 9, 2, 3);
    fixture.endpointAt(4).endpointAt(5).path(4, 5, 2);
    fixture.traffic(4, 5, 10, 0).traffic(2, 9, 10, 0).traffic(1, 9, 10, 7).tick();
    assertThat(fixture.status(2).congested()).isTrue();
    assertThat(fixture.status(1).congested()).isFalse();
    assertThat(fixture.status(3).congested()).isFalse();
    assertThat(fixture.figure(Figure.MARKS_ATTRIBUTED)).isEqualTo(7);
  }

  @Test
  void utilisationDecidesBetweenPortsOfDifferentCapacity() {
    EngineFixture fixture =
        new EngineFixture()
            .portOf(1, 1000)
            .portOf(2, 50)
            .portOf(3, 1000)
            .endpointAt(1)
            .endpointAt(9);
    fixture.path(1, 9, 1, 2, 3).traffic(1, 9, 10, 1).tick();
    assertThat(fixture.status(2).congested()).isTrue();
    assertThat(fixture.shares).hasSize(1);
  }

  @Test
  void equalUtilisationSelectsTheMostUpstreamPort() {
    EngineFixture fixture =
        new EngineFixture()
            .portOf(7, 100)
            .portOf(2, 100)
            .portOf(3, 100)
            .endpointAt(1)
            .endpointAt(9);
    fixture.path(1, 9, 7, 2, 3).traffic(1, 9, 10, 1).tick();
    assertThat(fixture.status(7).congested()).isTrue();
    assertThat(fixture.shares).hasSize(1);
  }

  @Test
  void nearlyEqualUtilisationSelectsTheSmallerPort() {
    // 24 of 100 against 12.0 of 49: 2 % apart, the larger is upstream.
    EngineFixture fixture =
        new EngineFixture().portOf(1, 100).portOf(2, 51).endpointAt(1).endpointAt(2).endpointAt(9);
    fixture.path(1, 9, 1, 2).path(2, 9, 1);
    fixture.traffic(2, 9, 5, 0).traffic(1, 9, 5, 1).tick();
    assertThat(fixture.status(2).congested()).isTrue();
    assertThat(fixture.status(1).congested()).isFalse();
  }

  @Test
  void loadNoiseDoesNotMoveControl() {
    EngineFixture fixture = twoPorts();
    for (int i = 0; i < 400; i++) {
      // Port 2 is at first 20 % busier; then the two change places by up to 8 %.
      long other = i == 0 ? 14 : 9 + i % 3;
      fixture.traffic(1, 9, 10, 1).traffic(2, 9, 10, 0).traffic(3, 9, other, 0).tick();
    }
    assertThat(fixture.status(1).congested()).isFalse();
    assertThat(fixture.status(2).congested()).isTrue();
  }

  @Test
  void newBottleneckTakesOver() {
    EngineFixture fixture = twoPorts();
    for (int i = 0; i < 100; i++) {
      fixture.traffic(1, 9, 10, 1).traffic(2, 9, 10, 0).traffic(3, 9, 14, 0).tick();
    }
    for (int i = 0; i < 300; i++) {
      fixture.traffic(1, 9, 10, 1).traffic(2, 9, 20, 0).traffic(3, 9, 10, 0).tick();
    }
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(2).congested()).isFalse();
  }

  @Test
  void trafficDroppedByTheShimIsNotLoad() {
    EngineFixture fixture = twoPorts();
    for (int i = 0; i < 100; i++) {
      // A VM floods port 1 with twenty times what its shim lets out; port 2 is the busier one.
      fixture
          .observe(2, EngineFixture.sent(2, 9, 100))
          .observe(9, EngineFixture.received(2, 9, 5, 0));
      fixture.traffic(1, 9, 10, 1).traffic(3, 9, 10, 0).tick();
    }
    assertThat(fixture.load(1)).isCloseTo(36_000_000, withinPercentage(1));
    assertThat(fixture.load(2)).isCloseTo(48_000_000, withinPercentage(1));
    assertThat(fixture.status(1).congested()).isFalse();
    assertThat(fixture.status(2).congested()).isTrue();
  }

  @Test
  void loadReportedByTheSenderAloneIsBoundedByCeilingAndNic() {
    EngineFixture fixture = twoPorts();
    fixture.engine.putEndpoint(
        EngineFixture.profile(2, 1, 0, 5_000_000), Set.of(EngineFixture.ip(2)));
    fixture.observe(2, EngineFixture.sent(2, 9, 100)).tick();
    assertThat(fixture.load(1)).isEqualTo(5_000_000);
    fixture.engine.putHost(EngineFixture.host(2), 2_000_000);
    fixture.observe(2, EngineFixture.sent(2, 9, 4)).tick();
    assertThat(fixture.load(1)).isEqualTo(2_000_000);
  }

  /** Pair 1 crosses ports 1 and 2; pair 2 only 1, pair 3 only 2. */
  private static EngineFixture twoPorts() {
    EngineFixture fixture = new EngineFixture().portOf(1, 100).portOf(2, 100).endpointAt(9);
    fixture.endpointAt(1).path(1, 9, 1, 2).endpointAt(2).path(2, 9, 1).endpointAt(3).path(3, 9, 2);
    return fixture;
  }

  @Test
  void portWithoutCapacityIsNotACandidate() {
    EngineFixture fixture =
        new EngineFixture().portOf(2, 1000).endpointAt(1).endpointAt(9).path(1, 9, 1, 2);
    fixture.traffic(1, 9, 10, 4).tick();
    assertThat(fixture.status(2).congested()).isTrue();
  }

  @Test
  void marksWithoutAnyCandidateAreCounted() {
    EngineFixture fixture = new EngineFixture().endpointAt(1).endpointAt(9).path(1, 9, 1, 2);
    fixture.traffic(1, 9, 10, 4).tick();
    assertThat(fixture.shares).isEmpty();
    assertThat(fixture.figure(Figure.MARKS_UNATTRIBUTED)).isEqualTo(4);
  }

  @Test
  void marksOfARemovedPortMoveToAnotherPortOfThePathInTheSameTick() {
    EngineFixture fixture =
        new EngineFixture()
            .portOf(1, 100)
            .portOf(2, 200)
            .endpointAt(1)
            .endpointAt(9)
            .path(1, 9, 1, 2);
    fixture.traffic(1, 9, 10, 4).tick();
    assertThat(attributed(fixture, 2)).containsExactly(4L, 0L);
    fixture.traffic(1, 9, 10, 3);
    fixture.engine.removePort(EngineFixture.port(1));
    fixture.tick();
    assertThat(attributed(fixture, 2)).containsExactly(0L, 3L);
    assertThat(fixture.figure(Figure.MARKS_UNATTRIBUTED)).isZero();
  }

  /** Marks of ports 1 to n. */
  private static List<Long> attributed(EngineFixture fixture, int ports) {
    List<Long> result = new ArrayList<>();
    for (int p = 1; p <= ports; p++) {
      result.add(
          fixture.engine.state.ports.marks[fixture.engine.state.ports.find(EngineFixture.port(p))]);
    }
    return result;
  }

  @Test
  void fractionsOfEcmpDivideTheLoad() {
    EngineFixture fixture =
        new EngineFixture().portOf(1, 100).portOf(2, 100).portOf(3, 60).endpointAt(1).endpointAt(9);
    fixture.path(
        1,
        9,
        Path.of(
            List.of(
                Path.Hop.of(EngineFixture.port(1), 0.75),
                Path.Hop.of(EngineFixture.port(2), 0.25),
                Path.Hop.of(EngineFixture.port(3))),
            true));
    fixture.traffic(1, 9, 25, 1).tick();
    assertThat(fixture.load(1)).isEqualTo(45_000_000);
    assertThat(fixture.load(2)).isEqualTo(15_000_000);
    assertThat(fixture.load(3)).isEqualTo(60_000_000);
    assertThat(fixture.status(3).congested()).isTrue();
    assertThat(fixture.status(1).ceShare()).isZero();
  }

  /** One step of the model: some pair sends, some of its packets marked. */
  static final int PORTS = 6;

  /**
   * Against a model that knows nothing of tables: random paths, loads and marks; every period, each
   * path's marks go to the port that the rule names, and only there.
   */
  @Property(tries = 200)
  void agreesWithTheReferenceModel(
      @ForAll @Size(min = 2, max = 8) List<@IntRange(min = 1, max = 63) Integer> masks,
      @ForAll @Size(value = PORTS) List<@IntRange(min = 10, max = 1000) Integer> capacities,
      @ForAll @Size(min = 8, max = 60) List<@IntRange(min = 4, max = 400) Integer> steps) {
    // At this period every choice is reconsidered every time.
    EngineFixture fixture =
        new EngineFixture(
            EngineParameters.DEFAULTS.withControlPeriodNanos(Attribution.RECONSIDER_NANOS));
    Model model = new Model(capacities);
    for (int p = 0; p < PORTS; p++) {
      fixture.portOf(p, capacities.get(p));
    }
    fixture.endpointAt(200);
    for (int n = 0; n < masks.size(); n++) {
      fixture.endpointAt(n).path(n, 200, portsOf(masks.get(n)));
      model.path(n, portsOf(masks.get(n)));
    }
    for (int i = 0; i < steps.size(); i++) {
      int pair = i % masks.size();
      int packets = steps.get(i) / 4;
      int marks = Math.min(packets, steps.get(i) % 4);
      fixture.traffic(pair, 200, packets, marks);
      model.sends(pair, packets, marks);
      if (pair == masks.size() - 1) {
        fixture.tick();
        assertThat(attributed(fixture)).isEqualTo(model.attribute());
      }
    }
  }

  private static Map<Integer, Long> attributed(EngineFixture fixture) {
    Map<Integer, Long> result = new HashMap<>();
    for (int p = 0; p < PORTS; p++) {
      long marks =
          fixture.engine.state.ports.marks[fixture.engine.state.ports.find(EngineFixture.port(p))];
      if (marks > 0) {
        result.put(p, marks);
      }
    }
    return result;
  }

  private static int[] portsOf(int mask) {
    List<Integer> ports = new ArrayList<>();
    for (int p = 0; p < PORTS; p++) {
      if ((mask >> p & 1) != 0) {
        ports.add(p);
      }
    }
    if (mask % 2 == 1) {
      java.util.Collections.reverse(ports);
    }
    return ports.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The rule in plain words. */
  private static final class Model {
    private final List<Integer> capacities;
    private final Map<Integer, List<Integer>> paths = new HashMap<>();
    private final Map<Integer, Double> rates = new HashMap<>();
    private final Map<List<Integer>, Integer> marks = new HashMap<>();
    private final Map<List<Integer>, Integer> choices = new HashMap<>();

    Model(List<Integer> capacities) {
      this.capacities = capacities;
    }

    void path(int pair, int[] ports) {
      List<Integer> path = new ArrayList<>();
      for (int port : ports) {
        path.add(port);
      }
      paths.put(pair, path);
    }

    void sends(int pair, int packets, int marked) {
      double before = rates.getOrDefault(pair, 0.0);
      double seen = packets * EngineFixture.PACKET_BYTES * 8.0 / 0.02;
      double fade = 1 / (1 + 0.4 * (1 + 0.4 / 2 * (1 + 0.4 / 3 * (1 + 0.4 / 4))));
      rates.put(
          pair,
          Math.floor(
              before == 0
                  ? seen * Math.max(1 - fade, Math.min(1, packets / 10.0))
                  : before * fade + seen * (1 - fade)));
      if (marked > 0) {
        marks.merge(paths.get(pair), marked, Integer::sum);
      }
    }

    Map<Integer, Long> attribute() {
      Map<Integer, Long> result = new HashMap<>();
      marks.forEach(
          (path, count) -> {
            int chosen = choose(path);
            choices.put(path, chosen);
            result.merge(chosen, (long) count, Long::sum);
          });
      marks.clear();
      return result;
    }

    private int choose(List<Integer> path) {
      double highest = path.stream().mapToDouble(this::relativeLoad).max().getAsDouble();
      Integer present = choices.get(path);
      if (present != null && highest <= relativeLoad(present) * 1.1) {
        return present;
      }
      return path.stream()
          .filter(port -> relativeLoad(port) >= highest * 0.95)
          .reduce((a, b) -> capacities.get(b) < capacities.get(a) ? b : a)
          .orElseThrow(AssertionError::new);
    }

    private double relativeLoad(int port) {
      double load = 0;
      for (Map.Entry<Integer, List<Integer>> path : paths.entrySet()) {
        if (path.getValue().contains(port)) {
          load += rates.getOrDefault(path.getKey(), 0.0);
        }
      }
      return load / (capacities.get(port) * 1e6);
    }
  }
}
