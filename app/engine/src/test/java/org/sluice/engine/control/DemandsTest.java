// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.sluice.engine.control.OnePort.Member;
import org.sluice.engine.control.OnePort.Source;
import org.sluice.engine.law.Demand;

/** Who demands less than its part, and what that leaves to others, as rates show it. */
class DemandsTest {
  private static final double CAPACITY = 1e9;
  private static final double ALL = Double.POSITIVE_INFINITY;
  private static final long PERIOD_NANOS = 10_000_000L;

  /** Several patiences. */
  private static final int PERIODS = 100;

  private static final double ROUNDING = 1e-6 * CAPACITY;

  private OnePort port;
  private double[] rates;
  private long now;

  private void begin(List<Member> members) {
    port = new OnePort(CAPACITY, members, 0);
    rates = new double[port.sources().size()];
    now = 0;
    port.compute();
  }

  /** Everybody sends, what gets through is evaluated, and parts follow. */
  private boolean turn() {
    now += PERIOD_NANOS;
    send();
    boolean changed = port.update(rates, now);
    if (changed) {
      port.compute();
    }
    return changed;
  }

  /** In proportion to parts, until the port is full: what hosts come to by its marks. */
  private void send() {
    List<Source> sources = port.sources();
    double low = 0;
    double high = 1e6;
    for (int step = 0; step < 200; step++) {
      double factor = (low + high) / 2;
      double sum = 0;
      for (Source source : sources) {
        sum += Math.min(source.wanted, factor * port.part(source));
      }
      if (sum > CAPACITY) {
        high = factor;
      } else {
        low = factor;
      }
    }
    for (int i = 0; i < rates.length; i++) {
      rates[i] = Math.min(sources.get(i).wanted, low * port.part(sources.get(i)));
    }
  }

  private double demand(Source source) {
    return port.state.crossings.demandBitsPerSecond(source.crossing);
  }

  private static Source wanting(double bitsPerSecond) {
    return new Source(1, 0, 0, bitsPerSecond);
  }

  /** 1000 of which 4 demand 20 and 4 demand more: 88 are kept free, 912 are left. */
  @Test
  void sourcesWithLowDemandReleaseCapacityAfterAWhile() {
    List<Source> sources = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      sources.add(wanting(20e6));
      sources.add(wanting(ALL));
    }
    begin(List.of(new Member(false, 1, 0, 0, sources)));
    for (int i = 0; i < 5; i++) {
      turn();
      assertThat(demand(sources.get(0))).as("patience").isEqualTo(Demand.GREEDY);
    }
    for (int i = 0; i < PERIODS; i++) {
      turn();
    }
    assertThat(demand(sources.get(0))).isEqualTo(20e6);
    assertThat(port.part(sources.get(1))).isBetween(229.9e6, 230.1e6);
  }

  @Test
  void sourceWithRisingDemandRegainsItsPartAtOnce() {
    Source changing = wanting(20e6);
    Source greedy = wanting(ALL);
    begin(List.of(new Member(false, 1, 0, 0, List.of(changing, greedy))));
    for (int i = 0; i < PERIODS; i++) {
      turn();
    }
    assertThat(port.part(greedy)).isGreaterThan(970e6);
    // It has broken through its part of before: its packets are as good as anybody's.
    rates = new double[] {950e6, 50e6};
    assertThat(port.update(rates, now + PERIOD_NANOS)).isTrue();
    port.compute();
    assertThat(demand(changing)).isEqualTo(Demand.GREEDY);
    assertThat(port.part(greedy)).isBetween(499e6, 501e6);
  }

  /**
   * What was kept free is too little by far, so that both have 625 of 1000 of what they may have:
   * the level is wrong, and none of them is light.
   */
  @Test
  void sourceLimitedLikeAllOthersIsGreedy() {
    Source changing = wanting(200e6);
    begin(List.of(new Member(false, 1, 0, 0, List.of(changing, wanting(ALL)))));
    for (int i = 0; i < PERIODS; i++) {
      turn();
    }
    rates = new double[] {500e6, 500e6};
    assertThat(port.update(rates, now + PERIOD_NANOS)).isTrue();
    assertThat(demand(changing)).isEqualTo(Demand.GREEDY);
  }

  /** Who has its floor has all that the floor gives, however wrong the level is. */
  @Test
  void floorsDoNotIndicateTheLevel() {
    Source assured = new Source(1, 300_000_000, 0, ALL);
    Source heavy = new Source(10, 0, 0, ALL);
    begin(List.of(new Member(false, 1, 0, 0, List.of(assured, heavy))));
    port.state.crossings.setDemandBitsPerSecond(heavy.crossing, 690e6);
    port.compute();
    assertThat(port.part(heavy)).as("by a level that is too high").isGreaterThan(1000e6);
    assertThat(port.update(new double[] {300e6, 700e6}, now + PERIOD_NANOS)).isTrue();
    assertThat(demand(heavy)).isEqualTo(Demand.GREEDY);
  }

  /** An eightieth of 400 is half of what is left to the third one. */
  @Test
  void demandIsTrackedClosely() {
    Source light = new Source(8, 0, 0, 400e6);
    Source limited = new Source(8, 0, 590_000_000, ALL);
    Source greedy = new Source(0.1, 0, 0, ALL);
    begin(List.of(new Member(false, 1, 0, 0, List.of(light, limited, greedy))));
    port.state.crossings.setDemandBitsPerSecond(light.crossing, 400e6);
    port.compute();
    assertThat(port.part(greedy)).isBetween(9e6, 11e6);
    assertThat(port.update(new double[] {405e6, 590e6, 5e6}, now + PERIOD_NANOS)).isTrue();
    assertThat(demand(light)).isEqualTo(405e6);
  }

  @Test
  void pausedSourceHasLowDemandAtOnceUnlessThePortIsOverloaded() {
    Source paused = wanting(ALL);
    begin(List.of(new Member(false, 1, 0, 0, List.of(paused, wanting(ALL)))));
    turn();
    port.update(new double[] {0, 950e6}, 0, now + PERIOD_NANOS);
    assertThat(demand(paused)).isEqualTo(Demand.GREEDY);
    port.update(new double[] {0, 950e6}, now + 2 * PERIOD_NANOS);
    assertThat(demand(paused)).isZero();
  }

  /**
   * Senders that have lost all that they sent are silent until their timeouts, and demand all that
   * they may have; those of whom it was known before that they demand little are followed as ever.
   */
  @Test
  void silentSourceKeepsItsDemandWhileThePortIsOverloaded() {
    Source silent = wanting(ALL);
    Source light = wanting(20e6);
    begin(List.of(new Member(false, 1, 0, 0, List.of(silent, light, wanting(ALL)))));
    for (int i = 0; i < PERIODS; i++) {
      turn();
    }
    for (int i = 0; i < 3 * PERIODS; i++) {
      now += PERIOD_NANOS;
      port.update(new double[] {i % 30 == 0 ? 1e6 : 0, 10e6, 900e6}, 0, now);
    }
    assertThat(demand(silent)).isEqualTo(Demand.GREEDY);
    assertThat(demand(light)).isEqualTo(10e6);
  }

  /** What somebody gets during overload says little about what it demands. */
  @Test
  void patienceStartsAtTheEndOfOverload() {
    Source slow = wanting(ALL);
    begin(List.of(new Member(false, 1, 0, 0, List.of(slow, wanting(ALL)))));
    for (int i = 0; i < PERIODS / 2; i++) {
      now += PERIOD_NANOS;
      port.update(new double[] {1e6, 900e6}, 0, now);
    }
    for (int i = 1; i < 5; i++) {
      now += PERIOD_NANOS;
      port.update(new double[] {1e6, 900e6}, i * PERIOD_NANOS, now);
      assertThat(demand(slow)).as("patience").isEqualTo(Demand.GREEDY);
    }
    now += PERIOD_NANOS;
    port.update(new double[] {1e6, 900e6}, 5 * PERIOD_NANOS, now);
    assertThat(demand(slow)).isEqualTo(1e6);
  }

  /**
   * From afar the host loop's swing looks like overload for good: if nobody became light then, the
   * level would stay too low, and nothing but the marks would hold the others.
   */
  @Test
  void lastingLowRateMeansLowDemandDespiteOverload() {
    Source light = wanting(20e6);
    begin(List.of(new Member(false, 1, 0, 0, List.of(light, wanting(ALL)))));
    long since = now + PERIOD_NANOS;
    while (now < since + Demand.OVERLOADED_PATIENCE_NANOS) {
      assertThat(demand(light)).as("after %d ns", now).isEqualTo(Demand.GREEDY);
      now += PERIOD_NANOS;
      port.update(new double[] {20e6, 950e6}, 0, now);
    }
    assertThat(demand(light)).isEqualTo(20e6);
  }

  /** Where the port is not full nobody's rate says what it demands. */
  @Test
  void portThatIsNotFullRevealsNoDemands() {
    Source idle = wanting(20e6);
    begin(List.of(new Member(false, 1, 0, 0, List.of(idle, wanting(ALL)))));
    for (int i = 0; i < PERIODS; i++) {
      assertThat(port.update(new double[] {20e6, 700e6}, i * PERIOD_NANOS)).isFalse();
    }
    assertThat(demand(idle)).isEqualTo(Demand.GREEDY);
  }

  /** Nobody gets less than if nothing were known of demands, and what is known is true. */
  @Property(tries = 200)
  void demandsConvergeAndReduceNoFairShare(@ForAll("members") List<Member> members) {
    begin(members);
    List<Source> sources = port.sources();
    double[] fair = sources.stream().mapToDouble(port::part).toArray();
    for (int i = 0; i < PERIODS; i++) {
      turn();
    }
    for (int i = 0; i < 20; i++) {
      assertThat(turn()).as("something changes still").isFalse();
    }
    for (int i = 0; i < fair.length; i++) {
      Source source = sources.get(i);
      assertThat(rates[i])
          .as("rate of %s", source)
          .isGreaterThanOrEqualTo(Math.min(source.wanted, fair[i]) - ROUNDING);
      if (rates[i] < 0.79 * port.part(source)) {
        assertThat(demand(source))
            .as("what is kept free for %s", source)
            .isBetween(rates[i], 1.2 * rates[i]);
      } else if (rates[i] > 0.91 * port.part(source)) {
        assertThat(demand(source)).as("demand of %s", source).isEqualTo(Demand.GREEDY);
      }
    }
  }

  @Provide
  Arbitrary<List<Member>> members() {
    Arbitrary<Double> weights = Arbitraries.doubles().between(0.1, 10);
    Arbitrary<Double> wants = Arbitraries.of(ALL, 1e6, 10e6, 45e6, 120e6, 500e6);
    Arbitrary<List<Source>> sources =
        Combinators.combine(weights, wants)
            .as((weight, want) -> new Source(weight, 0, 0, want))
            .list()
            .ofMinSize(1)
            .ofMaxSize(6);
    return Combinators.combine(Arbitraries.of(true, false), weights, sources)
        .as((isShared, weight, of) -> new Member(isShared, weight, 0, 0, of))
        .list()
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(DemandsTest::withSomebodyGreedy);
  }

  /** Else the port is not full. */
  private static List<Member> withSomebodyGreedy(List<Member> members) {
    List<Member> all = new ArrayList<>(members);
    all.add(new Member(false, 1, 0, 0, List.of(wanting(ALL))));
    return all;
  }
}
