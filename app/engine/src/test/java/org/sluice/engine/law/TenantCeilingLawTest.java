// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.engine.law.TenantCeilingLaw.GREEDY;

import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TenantCeilingLawTest {
  private static final double CEILING = 200e6;
  private static final double MOST_HANDED_OUT = 1.1 * CEILING;
  private static final Offset<Double> EXACTLY = within(1.0);

  private final TenantCeilingLaw law = new TenantCeilingLaw();

  /** Endpoints of one tenant; rates are Mbit/s. */
  private static final class Endpoints {
    final double[] weights;
    final double[] rates;
    final double[] headrooms;
    final double[] floors;
    final double[] most;

    Endpoints(double... weights) {
      this.weights = weights;
      rates = new double[weights.length];
      headrooms = new double[weights.length];
      floors = new double[weights.length];
      most = new double[weights.length];
      Arrays.fill(headrooms, GREEDY);
      Arrays.fill(most, Double.POSITIVE_INFINITY);
    }

    Endpoints light(int i, double megabits) {
      rates[i] = megabits * 1e6;
      headrooms[i] = 1.25 * megabits * 1e6;
      return this;
    }

    Endpoints idle(int i, double megabits) {
      headrooms[i] = megabits * 1e6;
      return this;
    }

    Endpoints floor(int i, double megabits) {
      floors[i] = megabits * 1e6;
      return this;
    }

    Endpoints nic(int i, double megabits) {
      most[i] = megabits * 1e6;
      return this;
    }
  }

  private double[] parts(Endpoints all) {
    double[] parts = new double[all.weights.length];
    law.divide(
        CEILING, parts.length, all.weights, all.rates, all.headrooms, all.floors, all.most, parts);
    return parts;
  }

  @Test
  void greedyEndpointsShareByTheirWeights() {
    assertThat(parts(new Endpoints(1, 1, 2)))
        .containsExactly(new double[] {50e6, 50e6, 100e6}, EXACTLY);
  }

  /** 20 are sent: 180 are left for two. The headroom of 5 more is lent. */
  @Test
  void unusedPartGoesToOtherEndpoints() {
    assertThat(parts(new Endpoints(1, 1, 1).light(0, 20)))
        .containsExactly(new double[] {25e6, 90e6, 90e6}, EXACTLY);
  }

  /** Idle siblings keep 5 % of the ceiling between them, beyond it. */
  @Test
  void singleEndpointHasTheWholeCeiling() {
    double idle = TenantCeilingLaw.idleHeadroom(CEILING, 1 / 3.0) / 1e6;
    assertThat(idle).isCloseTo(10 / 3.0, within(1e-9));
    assertThat(parts(new Endpoints(1, 1, 1).idle(1, idle).idle(2, idle)))
        .containsExactly(new double[] {200e6, 10e6 / 3, 10e6 / 3}, EXACTLY);
  }

  /** 140 are sent with 35 more of headroom, of which 20 are lent: 220 - 175 are left for two. */
  @Test
  void partsExceedTheCeilingByATenthAtMost() {
    assertThat(parts(new Endpoints(4, 4, 1, 1).light(0, 70).light(1, 70)))
        .containsExactly(new double[] {87.5e6, 87.5e6, 22.5e6, 22.5e6}, EXACTLY);
  }

  /** Two send 60 each and have less than their headrooms: nothing of these is lent but the rest. */
  @Test
  void endpointWhosePartIsBelowItsDemandLeavesNothingToOthers() {
    assertThat(parts(new Endpoints(1, 1, 1).light(0, 60).light(1, 60)))
        .containsExactly(new double[] {220e6 / 3, 220e6 / 3, 220e6 / 3}, EXACTLY);
    assertThat(parts(new Endpoints(1, 1, 1).light(0, 100).light(1, 100)))
        .containsExactly(new double[] {200e6 / 3, 200e6 / 3, 200e6 / 3}, EXACTLY);
  }

  /** Of 200 they want 62.5; the level at which all have 200 together is 66.7. */
  @Test
  void undemandedCapacityIsDividedByWeight() {
    assertThat(parts(new Endpoints(1, 1, 1).light(0, 40).light(1, 10).idle(2, 3)))
        .containsExactly(new double[] {200e6 / 3, 200e6 / 3, 200e6 / 3}, EXACTLY);
    assertThat(parts(new Endpoints(1, 1, 1).light(0, 80).light(1, 10).idle(2, 3)))
        .containsExactly(new double[] {100e6, 50e6, 50e6}, EXACTLY);
  }

  @Test
  void admittedRatesAreReserved() {
    assertThat(parts(new Endpoints(1, 1, 1).floor(0, 120)))
        .containsExactly(new double[] {120e6, 40e6, 40e6}, EXACTLY);
    assertThat(parts(new Endpoints(1, 1, 1).idle(0, 3).floor(0, 120)))
        .as("lent, as far as may be")
        .containsExactly(new double[] {120e6, 50e6, 50e6}, EXACTLY);
  }

  @Test
  void capacityBeyondANicGoesToOtherEndpoints() {
    assertThat(parts(new Endpoints(1, 1).nic(0, 50)))
        .containsExactly(new double[] {50e6, 150e6}, EXACTLY);
    assertThat(parts(new Endpoints(1, 1).nic(0, 50).nic(1, 60)))
        .containsExactly(new double[] {50e6, 60e6}, EXACTLY);
  }

  private static double headroom(double before, double rate, double part, long littleMillis) {
    return TenantCeilingLaw.headroom(
            before * 1e6, rate * 1e6, part * 1e6, 3e6, CEILING, littleMillis * 1_000_000)
        / 1e6;
  }

  @Test
  void endpointThatUsesItsPartGetsFourTimesTheDemand() {
    assertThat(headroom(3, 2.9, 3, 0)).isCloseTo(12, within(1e-9));
    assertThat(headroom(48, 47, 48, 0)).isCloseTo(192, within(1e-9));
    assertThat(headroom(60, 58, 60, 0)).as("all that there is").isEqualTo(GREEDY);
    assertThat(headroom(25, 90, 91, 0)).as("what nobody wanted was its").isEqualTo(GREEDY);
  }

  @Test
  void lastingLowRateReducesTheDemand() {
    assertThat(headroom(GREEDY, 20, 100, 199)).isEqualTo(GREEDY);
    assertThat(headroom(GREEDY, 20, 100, 200)).isCloseTo(25, within(1e-9));
    assertThat(headroom(100, 0, 100, 200)).as("it can begin at once").isCloseTo(3, within(1e-9));
    assertThat(TenantCeilingLaw.isLittle(GREEDY, 79e6, 100e6)).isTrue();
    assertThat(TenantCeilingLaw.isLittle(GREEDY, 81e6, 100e6)).isFalse();
    assertThat(TenantCeilingLaw.isLittle(100e6, 71e6, 100e6)).as("headroom stays").isFalse();
    assertThat(TenantCeilingLaw.isLittle(100e6, 69e6, 100e6)).isTrue();
  }

  @Test
  void unknownPartGivesADemandFromTheRate() {
    assertThat(headroom(0, 20, 0, 0)).isCloseTo(25, within(1e-9));
    assertThat(headroom(0, 0, 0, 0)).isCloseTo(3, within(1e-9));
  }

  // ---------------------------------------------------------------- any tenant

  @Provide
  Arbitrary<Endpoints> tenants() {
    Arbitrary<Integer> kind = Arbitraries.integers().between(0, 2);
    Arbitrary<Double> rate = Arbitraries.doubles().between(0.1, 150);
    Arbitrary<Double> weight = Arbitraries.doubles().between(0.1, 10);
    Arbitrary<double[]> one =
        Combinators.combine(kind, rate, weight).as((k, r, w) -> new double[] {k, r, w});
    return one.list()
        .ofMinSize(1)
        .ofMaxSize(40)
        .map(
            list -> {
              Endpoints all = new Endpoints(list.stream().mapToDouble(e -> e[2]).toArray());
              double total = Arrays.stream(all.weights).sum();
              for (int i = 0; i < list.size(); i++) {
                double[] e = list.get(i);
                if (e[0] == 1) {
                  all.light(i, e[1]);
                } else if (e[0] == 2) {
                  all.idle(i, TenantCeilingLaw.idleHeadroom(CEILING, all.weights[i] / total) / 1e6);
                }
              }
              return all;
            });
  }

  @Property(tries = 500)
  void sumOfPartsIsAtMostTheCeilingAndATenth(@ForAll("tenants") Endpoints all) {
    assertThat(Arrays.stream(parts(all)).sum()).isLessThanOrEqualTo(MOST_HANDED_OUT + 1);
  }

  /** Greedy ones send their parts, the others what they sent, if their parts allow it. */
  @Property(tries = 500)
  void sentTrafficIsAtMostTheCeiling(@ForAll("tenants") Endpoints all) {
    double[] parts = parts(all);
    double sent = 0;
    double lendable = 0;
    boolean somebodyWantsMore = false;
    for (int i = 0; i < parts.length; i++) {
      boolean isGreedy = all.headrooms[i] == GREEDY;
      sent += isGreedy ? parts[i] : Math.min(parts[i], all.rates[i]);
      lendable += isGreedy ? 0 : parts[i] - Math.min(parts[i], all.rates[i]);
      somebodyWantsMore |= isGreedy;
    }
    assertThat(sent).isLessThanOrEqualTo(CEILING + 1);
    if (somebodyWantsMore) {
      assertThat(sent).isCloseTo(Math.min(CEILING, MOST_HANDED_OUT - lendable), EXACTLY);
    }
  }

  /** Whoever has less by weight than somebody else has all that it has headroom for. */
  @Property(tries = 500)
  void partsAreMaxMinFair(@ForAll("tenants") Endpoints all) {
    double[] parts = parts(all);
    boolean leavesSomething = Arrays.stream(all.headrooms).sum() < CEILING;
    for (int i = 0; i < parts.length; i++) {
      for (int j = 0; j < parts.length; j++) {
        boolean hasLess = parts[i] / all.weights[i] < parts[j] / all.weights[j] - 1;
        if (hasLess && leavesSomething) {
          assertThat(parts[j]).as("only for what it sends").isCloseTo(all.headrooms[j], EXACTLY);
        } else if (hasLess) {
          assertThat(parts[i]).as("not more than it wants").isCloseTo(all.headrooms[i], EXACTLY);
        }
      }
    }
  }
}
