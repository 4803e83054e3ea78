// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class TwoTimeScaleLawTest {
  private static final double NONE = Double.POSITIVE_INFINITY;

  private final TwoTimeScaleLaw law = new TwoTimeScaleLaw();

  private double share(double capacity, double[] weights, double[] floors, double[] ceilings) {
    double[] greedy = new double[weights.length];
    Arrays.fill(greedy, Demand.GREEDY);
    return law.unitShare(capacity, weights.length, weights, floors, ceilings, greedy);
  }

  private double shareByDemand(double capacity, double[] weights, double[] floors, double... want) {
    double[] ceilings = new double[weights.length];
    Arrays.fill(ceilings, NONE);
    return law.unitShare(capacity, weights.length, weights, floors, ceilings, want);
  }

  /** 1000 - 4 * 20 are left for four. */
  @Test
  void capacityBeyondLowDemandsIsSharedByOthers() {
    double[] ones = {1, 1, 1, 1, 1, 1, 1, 1};
    double share =
        shareByDemand(1e9, ones, new double[8], 20e6, 20e6, 20e6, 20e6, NONE, NONE, NONE, NONE);
    assertThat(share).isCloseTo(230e6, within(1.0));
  }

  /** All demand 60 of 100 together; whoever is neediest by weight could have 30 + 40. */
  @Test
  void spareCapacityGoesToTheLargestDemand() {
    double[] weights = {1, 1, 2};
    assertThat(shareByDemand(100e6, weights, new double[3], 10e6, 30e6, 20e6))
        .isCloseTo(70e6, within(1.0));
  }

  /** Two are as needy; who has the higher ceiling could have 1000 - 30, whoever comes first. */
  @Test
  void spareCapacityGoesToTheHigherCeilingAmongEqualDemands() {
    double[] none = new double[2];
    double[] ones = {1, 1};
    double[] demands = {30e6, 30e6};
    assertThat(law.unitShare(1e9, 2, ones, none, new double[] {NONE, 90e6}, demands))
        .isCloseTo(970e6, within(1.0));
    assertThat(law.unitShare(1e9, 2, ones, none, new double[] {90e6, NONE}, demands))
        .isCloseTo(970e6, within(1.0));
  }

  /** As needy by weight, and without ceilings: the lower weight comes to the higher level. */
  @Test
  void spareCapacityGoesToTheLowerWeightAmongEqualDemands() {
    assertThat(shareByDemand(100e6, new double[] {1, 2}, new double[2], 10e6, 20e6))
        .isCloseTo(80e6, within(1.0));
    assertThat(shareByDemand(100e6, new double[] {2, 1}, new double[2], 20e6, 10e6))
        .isCloseTo(80e6, within(1.0));
  }

  /** Of a floor of 40, 5 are demanded: the other one may have 95. */
  @Test
  void unusedFloorIsShared() {
    double[] weights = {1, 1};
    assertThat(shareByDemand(100e6, weights, new double[] {40e6, 0}, 5e6, NONE))
        .isCloseTo(95e6, within(1.0));
  }

  @Test
  void isCapacityOverWeightsWithoutBounds() {
    double[] none = {0, 0, 0, 0};
    double[] free = {NONE, NONE, NONE, NONE};
    assertThat(share(50e6, new double[] {1, 1, 1, 1}, none, free)).isEqualTo(12.5e6);
    assertThat(share(50e6, new double[] {2, 1, 1, 1}, none, free)).isEqualTo(10e6);
  }

  @Test
  void floorsAreKeptAndTheRestIsSharedByWeight() {
    // 20 of 50 go to the first; 30 are left for weights 1 and 2.
    double[] floors = {20e6, 0, 0};
    double[] ceilings = {NONE, NONE, NONE};
    assertThat(share(50e6, new double[] {1, 1, 2}, floors, ceilings)).isEqualTo(10e6);
  }

  @Test
  void floorBelowTheShareChangesNothing() {
    double[] floors = {10e6, 0};
    double[] ceilings = {NONE, NONE};
    assertThat(share(50e6, new double[] {1, 1}, floors, ceilings)).isEqualTo(25e6);
  }

  @Test
  void capacityBeyondCeilingsIsSharedByOthers() {
    double[] floors = {0, 0, 0};
    double[] ceilings = {5e6, NONE, NONE};
    assertThat(share(50e6, new double[] {1, 1, 2}, floors, ceilings)).isEqualTo(15e6);
  }

  @Test
  void capacityFreedByACeilingCanMakeAFloorIneffective() {
    // Without the ceiling the level is 25 and the floor of 30 binds; with it the level is 35.
    double[] weights = {1, 1, 2};
    double[] floors = {0, 30e6, 0};
    double[] ceilings = {NONE, NONE, 20e6};
    // 100 - 20 = 80 for weights 1 and 1: 40 each, above the floor.
    assertThat(share(100e6, weights, floors, ceilings)).isEqualTo(40e6);
  }

  @Test
  void noEndpointIsBelowItsCeilingWhereAllCeilingsFit() {
    double[] ceilings = {5e6, 8e6};
    double share = share(50e6, new double[] {1, 4}, new double[] {0, 0}, ceilings);
    assertThat(share).isEqualTo(10e6);
    assertThat(share(50e6, new double[] {1, 0.1}, new double[] {0, 0}, ceilings)).isEqualTo(80e6);
  }

  @Test
  void floorsBeyondTheCapacityLeaveATenthToOthers() {
    double[] floors = {40e6, 80e6, 0};
    double[] ceilings = {NONE, NONE, NONE};
    // 45 of 50 to the two, in proportion 15 : 30; 5 for the third.
    assertThat(share(50e6, new double[] {1, 1, 1}, floors, ceilings)).isCloseTo(5e6, within(1.0));
  }

  @Test
  void readsOnlyTheLeadingElements() {
    double[] weights = {1, 1, 99};
    double[] floors = {0, 0, 99e6};
    double[] ceilings = {NONE, NONE, 1};
    assertThat(law.unitShare(50e6, 2, weights, floors, ceilings, ceilings)).isEqualTo(25e6);
  }

  @Test
  void growsWithTheNumberOfEndpoints() {
    double[] weights = new double[1000];
    Arrays.fill(weights, 2);
    double[] ceilings = new double[1000];
    Arrays.fill(ceilings, NONE);
    assertThat(share(1e9, weights, new double[1000], ceilings)).isEqualTo(5e5);
  }

  /** The definition itself, by bisection: the level at which the bounded rates fill the port. */
  @Property
  void fillsThePortWithinTheBounds(@ForAll("ports") Bounded port) {
    double share = share(port.capacity, port.weights, port.floors, port.ceilings);
    double totalCeiling = Arrays.stream(port.ceilings).sum();
    assertThat(share).isPositive().isFinite();
    if (totalCeiling <= port.capacity) {
      assertThat(port.filled(share)).isCloseTo(totalCeiling, within(1.0));
    } else {
      assertThat(port.filled(share)).isCloseTo(port.capacity, within(1e-6 * port.capacity));
    }
  }

  /** Rates, not the level: where bounds alone fill a port exactly, many levels mean the same. */
  @Property
  void ignoresTheOrderOfEndpoints(@ForAll("ports") Bounded port) {
    double share = share(port.capacity, port.weights, port.floors, port.ceilings);
    Bounded turned = port.reversed();
    double other = share(turned.capacity, turned.weights, turned.floors, turned.ceilings);
    for (int i = 0; i < port.weights.length; i++) {
      assertThat(port.rate(i, other)).isCloseTo(port.rate(i, share), within(1e-6 * port.capacity));
    }
  }

  @Property
  void shareIsMonotonicInCapacity(@ForAll("ports") Bounded port) {
    double share = share(port.capacity, port.weights, port.floors, port.ceilings);
    double more = share(1.5 * port.capacity, port.weights, port.floors, port.ceilings);
    Bounded wider = port.withCapacity(1.5 * port.capacity);
    for (int i = 0; i < port.weights.length; i++) {
      assertThat(wider.rate(i, more))
          .isGreaterThanOrEqualTo(port.rate(i, share) - 1e-6 * port.capacity);
    }
  }

  @Provide
  Arbitrary<Bounded> ports() {
    Arbitrary<double[]> endpoint =
        Combinators.combine(
                Arbitraries.doubles().between(0.01, 1000),
                Arbitraries.of(0.0, 0.0, 1e6, 20e6, 300e6),
                Arbitraries.of(NONE, NONE, 0.5e6, 10e6, 200e6, 2e9))
            .as((w, floor, ceiling) -> new double[] {w, Math.min(floor, ceiling), ceiling});
    Arbitrary<List<double[]>> endpoints = endpoint.list().ofMinSize(1).ofMaxSize(40);
    return Combinators.combine(Arbitraries.of(10e6, 50e6, 1e9, 40e9), endpoints).as(Bounded::new);
  }

  /** A port with its endpoints' weights and bounds. */
  static final class Bounded {
    final double capacity;
    final double[] weights;
    final double[] floors;
    final double[] ceilings;

    Bounded(double capacity, List<double[]> endpoints) {
      this.capacity = capacity;
      weights = endpoints.stream().mapToDouble(e -> e[0]).toArray();
      floors = endpoints.stream().mapToDouble(e -> e[1]).toArray();
      ceilings = endpoints.stream().mapToDouble(e -> e[2]).toArray();
    }

    Bounded(double capacity, double[] weights, double[] floors, double[] ceilings) {
      this.capacity = capacity;
      this.weights = weights;
      this.floors = floors;
      this.ceilings = ceilings;
    }

    /** What an endpoint gets at a level. */
    double rate(int endpoint, double level) {
      double mostFloor = TwoTimeScaleLaw.FLOOR_SHARE * capacity;
      double scale = Math.min(1, mostFloor / Arrays.stream(floors).sum());
      double floor = floors[endpoint] > 0 ? floors[endpoint] * scale : 0;
      return Math.min(ceilings[endpoint], Math.max(floor, weights[endpoint] * level));
    }

    double filled(double level) {
      double sum = 0;
      for (int i = 0; i < weights.length; i++) {
        sum += rate(i, level);
      }
      return sum;
    }

    Bounded withCapacity(double other) {
      return new Bounded(other, weights, floors, ceilings);
    }

    Bounded reversed() {
      List<double[]> turned = new java.util.ArrayList<>();
      for (int i = weights.length - 1; i >= 0; i--) {
        turned.add(new double[] {weights[i], floors[i], ceilings[i]});
      }
      return new Bounded(capacity, turned);
    }

    @Override
    public String toString() {
      return capacity
          + " w="
          + Arrays.toString(weights)
          + " lo="
          + Arrays.toString(floors)
          + " hi="
          + Arrays.toString(ceilings);
    }
  }
}
