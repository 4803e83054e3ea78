// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.engine.control.OnePort.Member;
import org.sluice.engine.control.OnePort.Source;
import org.sluice.engine.law.Demand;

/** Who demands more than it sends, what that leaves to others, and what is lent meanwhile. */
class DemandsTest {
  private static final double CAPACITY = 1e9;
  private static final long MS = 1_000_000L;

  private final Source light = new Source(1, 0, 0, 0);
  private final Source greedy = new Source(1, 0, 0, 0);
  private final OnePort port =
      new OnePort(CAPACITY, List.of(new Member(false, 1, 0, 0, List.of(light, greedy))), 0);

  private boolean report(double lightRate, boolean lightWaits, double greedyRate, long now) {
    boolean changed =
        port.update(new double[] {lightRate, greedyRate}, new boolean[] {lightWaits, true}, now);
    port.compute();
    return changed;
  }

  private double demand(Source source) {
    return port.state.crossings.demandBitsPerSecond(source.crossing);
  }

  @Test
  void whoDoesNotWaitDemandsWhatItSends() {
    assertThat(report(20e6, false, 900e6, MS)).isTrue();
    assertThat(demand(light)).isEqualTo(20e6);
    assertThat(demand(greedy)).isEqualTo(Demand.GREEDY);
    assertThat(port.part(greedy)).isCloseTo(980e6, within(1e3));
  }

  /** One that has just lost packets gets little, and nobody may take its share for that. */
  @Test
  void whoWaitsDemandsAllHoweverLittleItGets() {
    report(1e6, true, 900e6, MS);
    assertThat(demand(light)).isEqualTo(Demand.GREEDY);
    assertThat(port.part(greedy)).isCloseTo(500e6, within(1e3));
  }

  @Test
  void whoHasWaitedDemandsAllForTheTimeOfPatience() {
    report(400e6, true, 500e6, MS);
    report(0, false, 500e6, 2 * MS);
    long end = 2 * MS + Demand.PATIENCE_NANOS;
    report(0, false, 500e6, end - 1);
    assertThat(port.part(greedy)).isCloseTo(500e6, within(1e3));
    report(0, false, 500e6, end);
    assertThat(port.part(greedy)).isCloseTo(CAPACITY, within(1e3));
  }

  /** 0.2 % of the port, or 5 % of the demand where that is less. */
  @Test
  void smallChangeOfADemandIsNotFollowed() {
    report(20e6, false, 900e6, MS);
    assertThat(report(20.9e6, false, 900e6, 2 * MS)).isFalse();
    assertThat(report(21.1e6, false, 900e6, 3 * MS)).isTrue();
    assertThat(demand(light)).isEqualTo(21.1e6);
  }

  /** 500 are due to the one that pauses, who has sent until now, and as many to the other one. */
  @Test
  void whatIsDueToOneThatPausesIsLentToThoseWhoWait() {
    Loans loans = new Loans();
    report(500e6, true, 500e6, MS);
    assertThat(port.lentPart(loans, MS)).as("all is used").isZero();
    report(0, false, 500e6, 2 * MS);
    port.lentPart(loans, 2 * MS);
    assertThat(port.lentPart(loans, 52 * MS)).isCloseTo(1, within(0.01));
  }

  /** It is held back by marks, say: would it count as idle, others would borrow more. */
  @Test
  void whatOneWhoWaitsDoesNotGetIsNotLent() {
    Loans loans = new Loans();
    report(100e6, true, 500e6, MS);
    assertThat(port.lentPart(loans, 100 * MS)).isZero();
  }

  @Test
  void lentPartFadesOnceNothingIsIdle() {
    Loans loans = new Loans();
    report(500e6, true, 500e6, MS);
    report(0, false, 500e6, 2 * MS);
    port.lentPart(loans, 2 * MS);
    port.lentPart(loans, 52 * MS);
    report(500e6, true, 500e6, 53 * MS);
    assertThat(port.lentPart(loans, 252 * MS)).as("after 200 ms").isCloseTo(0.368, within(0.01));
    assertThat(port.lentPart(loans, 2000 * MS)).isZero();
  }
}
