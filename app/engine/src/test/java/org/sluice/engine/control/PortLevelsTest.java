// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

/** What a port comes to for everybody, of tenants and their endpoints. */
class PortLevelsTest {
  private static final double ALL = Double.POSITIVE_INFINITY;

  /** A part of the capacity. */
  private static final double ROUNDING = 1e-6;

  private static OnePort computed(double capacity, List<Member> members, long order) {
    OnePort port = new OnePort(capacity, members, order);
    port.setDemands();
    port.compute();
    return port;
  }

  /** 100 for tenants of weight 3 and 1: of 75, 5 are demanded by one, 70 left to its sibling. */
  @Test
  void unusedEndpointShareGoesToTheTenantsOtherEndpoints() {
    Source light = new Source(1, 0, 0, 5e6);
    Source greedy = new Source(1, 0, 0, ALL);
    Source other = new Source(1, 0, 0, ALL);
    OnePort port =
        computed(
            100e6,
            List.of(
                new Member(true, 3, 0, 0, List.of(light, greedy)),
                new Member(true, 1, 0, 0, List.of(other))),
            0);
    assertThat(port.part(greedy)).isCloseTo(70e6, within(1.0));
    assertThat(port.part(other)).isCloseTo(25e6, within(1.0));
    assertThat(port.levels.unitShare()).isCloseTo(25e6, within(1.0));
    assertThat(port.levels.activeWeight()).isEqualTo(4);
  }

  /**
   * Half of what two send is expected at each of two equal ports, and a third endpoint sends
   * through this one alone: u (2/2 + 1/2 + 1/2) = 100. The tenant of the half has its share by its
   * weight wherever its flows go.
   */
  @Test
  void equalPortsAreSharedTogether() {
    Source two = new Source(2, 0, 0, ALL, 0.5);
    Source sibling = new Source(1, 0, 0, ALL, 0.5);
    Source whole = new Source(0.5, 0, 0, ALL);
    OnePort port =
        computed(
            100e6,
            List.of(
                new Member(false, 1, 0, 0, List.of(two)),
                new Member(true, 1, 0, 0, List.of(sibling)),
                new Member(false, 1, 0, 0, List.of(whole))),
            0);
    assertThat(port.levels.unitShare()).isCloseTo(50e6, within(1.0));
    assertThat(port.part(two)).as("of its 100, what comes here").isCloseTo(50e6, within(1.0));
    assertThat(port.state.crossings.pairLevel(two.crossing)).isCloseTo(100e6, within(1.0));
    assertThat(port.part(whole)).isCloseTo(25e6, within(1.0));
    assertThat(port.part(sibling)).isCloseTo(25e6, within(1.0));
    assertThat(port.state.crossings.weight(sibling.crossing)).isCloseTo(1, within(1e-9));
    assertThat(port.levels.unclaimed()).isCloseTo(0, within(1.0));
  }

  /** A tenant's guarantee of 60 of 100, which its two endpoints share 2 to 1. */
  @Test
  void guaranteeBelongsToTheTenant() {
    Source two = new Source(2, 0, 0, ALL);
    Source one = new Source(1, 0, 0, ALL);
    Source other = new Source(1, 0, 0, ALL);
    OnePort port =
        computed(
            100e6,
            List.of(
                new Member(true, 1, 60_000_000, 0, List.of(two, one)),
                new Member(false, 1, 0, 0, List.of(other))),
            0);
    assertThat(port.part(two)).isCloseTo(40e6, within(1.0));
    assertThat(port.part(one)).isCloseTo(20e6, within(1.0));
    assertThat(port.part(other)).isCloseTo(40e6, within(1.0));
  }

  /** Of the tenant's 50 of 100, one endpoint is assured 48: 2 are left for its sibling, not 5. */
  @Test
  void endpointFloorMayTakeMostOfItsTenantsShare() {
    Source assured = new Source(1, 48_000_000, 0, ALL);
    Source sibling = new Source(1, 0, 0, ALL);
    Source other = new Source(1, 0, 0, ALL);
    OnePort port =
        computed(
            100e6,
            List.of(
                new Member(true, 1, 0, 0, List.of(assured, sibling)),
                new Member(true, 1, 0, 0, List.of(other))),
            0);
    assertThat(port.part(assured)).isCloseTo(48e6, within(1.0));
    assertThat(port.part(sibling)).isCloseTo(2e6, within(1.0));
    assertThat(port.part(other)).isCloseTo(50e6, within(1.0));
  }

  /** Floors of 30 and 60 under a tenant's ceiling of 45: half of each. */
  @Test
  void floorsOfEndpointsFitIntoTheirTenantsCeiling() {
    Source thirty = new Source(1, 30_000_000, 0, ALL);
    Source sixty = new Source(1, 60_000_000, 0, ALL);
    Source other = new Source(1, 0, 0, ALL);
    OnePort port =
        computed(
            100e6,
            List.of(
                new Member(true, 9, 0, 45_000_000, List.of(thirty, sixty)),
                new Member(true, 1, 0, 0, List.of(other))),
            0);
    assertThat(port.part(thirty)).isCloseTo(15e6, within(1.0));
    assertThat(port.part(sixty)).isCloseTo(30e6, within(1.0));
    assertThat(port.part(other)).isCloseTo(55e6, within(1.0));
  }

  /** Its sibling demands little, so nothing holds the greedy one but its ceiling. */
  @Test
  void endpointAtItsCeilingIsBoundByItAlone() {
    Source limited = new Source(1, 0, 60_000_000, ALL);
    Source light = new Source(1, 0, 0, 1e6);
    Source other = new Source(1, 0, 0, ALL);
    OnePort port =
        computed(
            200e6,
            List.of(
                new Member(true, 1, 0, 0, List.of(limited, light)),
                new Member(true, 1, 0, 0, List.of(other))),
            0);
    assertThat(port.part(limited)).isCloseTo(60e6, within(1.0));
    assertThat(port.part(other)).as("what the tenant leaves").isCloseTo(139e6, within(1.0));
  }

  @Property(tries = 200)
  void sharesAgreeWithTheReference(@ForAll("ports") Drawn drawn) {
    OnePort port = computed(drawn.capacity, drawn.members, 0);
    double[] expected = port.reference();
    List<Source> sources = port.sources();
    for (int i = 0; i < expected.length; i++) {
      assertThat(port.taken(sources.get(i)))
          .as("endpoint %d of %s", i, drawn)
          .isCloseTo(expected[i], within(ROUNDING * drawn.capacity));
    }
  }

  @Property(tries = 200)
  void sharesFillThePortExactly(@ForAll("ports") Drawn drawn) {
    OnePort port = computed(drawn.capacity, drawn.members, 0);
    double taken = port.sources().stream().mapToDouble(port::taken).sum();
    double wanted = 0;
    for (Member member : drawn.members) {
      double sum = member.sources.stream().mapToDouble(Source::most).sum();
      wanted += member.isShared && member.ceiling > 0 ? Math.min(sum, member.ceiling) : sum;
    }
    assertThat(taken)
        .as("%s", drawn)
        .isCloseTo(Math.min(wanted, drawn.capacity), within(ROUNDING * drawn.capacity));
  }

  @Property(tries = 200)
  void orderOfEndpointsIsIrrelevant(@ForAll("ports") Drawn drawn, @ForAll("orders") long order) {
    OnePort first = computed(drawn.capacity, drawn.members, 0);
    double[] parts = first.sources().stream().mapToDouble(first::part).toArray();
    OnePort other = computed(drawn.capacity, drawn.members, order);
    List<Source> sources = other.sources();
    for (int i = 0; i < parts.length; i++) {
      assertThat(other.part(sources.get(i)))
          .as("endpoint %d of %s", i, drawn)
          .isCloseTo(parts[i], within(ROUNDING * Math.max(parts[i], drawn.capacity)));
    }
  }

  @Provide
  Arbitrary<Long> orders() {
    return Arbitraries.longs().between(1, 1_000_000);
  }

  @Provide
  Arbitrary<Drawn> ports() {
    Arbitrary<Double> weights = Arbitraries.doubles().between(0.01, 100);
    Arbitrary<Double> wants = Arbitraries.of(ALL, ALL, ALL, 0.3e6, 4e6, 25e6, 300e6);
    Arbitrary<Long> ceilings = Arbitraries.of(0L, 0L, 0L, 5_000_000L, 60_000_000L, 900_000_000L);
    Arbitrary<Long> floors = Arbitraries.of(0L, 0L, 0L, 1_000_000L, 20_000_000L, 300_000_000L);
    Arbitrary<List<Source>> endpoints =
        Combinators.combine(weights, floors, ceilings, wants)
            .as(Source::new)
            .list()
            .ofMinSize(1)
            .ofMaxSize(6);
    Arbitrary<Member> each = endpoints.map(sources -> new Member(false, 1, 0, 0, sources));
    Arbitrary<Member> shared =
        Combinators.combine(weights, floors, ceilings, endpoints)
            .as((weight, floor, ceiling, of) -> new Member(true, weight, floor, ceiling, of));
    return Combinators.combine(
            Arbitraries.of(10e6, 50e6, 1e9, 40e9),
            Arbitraries.oneOf(each, shared, shared).list().ofMinSize(1).ofMaxSize(6))
        .as(Drawn::new);
  }

  /** A capacity, and who is there. */
  static final class Drawn {
    final double capacity;
    final List<Member> members;

    Drawn(double capacity, List<Member> members) {
      this.capacity = capacity;
      this.members = new ArrayList<>(members);
    }

    @Override
    public String toString() {
      return capacity + members.toString();
    }
  }
}
