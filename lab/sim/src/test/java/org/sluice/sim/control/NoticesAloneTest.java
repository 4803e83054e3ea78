// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.control.Lab.GIGABIT;
import static org.sluice.sim.control.Lab.MILLI;
import static org.sluice.sim.control.Lab.SECOND;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.api.Law;
import org.sluice.api.PortStatus;
import org.sluice.engine.EngineParameters;
import org.sluice.engine.marks.Signals;

/** Marks counted by switches or their queues' agents; hosts hear of them by notices. */
class NoticesAloneTest {
  private static final long TESTBED = 50_000_000;

  private static SluiceDeployment install(Lab lab, EngineParameters parameters) {
    return SluiceDeployment.install(
        lab.network, SluiceParameters.builder().engine(parameters).build());
  }

  private static EngineParameters with(Signals signals) {
    return EngineParameters.DEFAULTS.withSignals(signals);
  }

  /** Three floods from the start, a fourth one second later. */
  private static Lab floods(long bitsPerSecond, int markAt) {
    Lab lab = new Lab(4, 1, bitsPerSecond, markAt);
    for (int i = 0; i < 4; i++) {
      lab.floodFrom(i, i == 3 ? SECOND : i * MILLI, 5 * SECOND);
    }
    return lab;
  }

  @ParameterizedTest
  @EnumSource(names = {"METERS", "PORTS"})
  void at50MegabitANewcomerHasItsShareWithinASecond(Signals signals) {
    Lab lab = floods(TESTBED, 8);
    SluiceDeployment sluice = install(lab, with(signals));
    lab.measureFrom(2 * SECOND);
    double[] rates = lab.ratesUntil(3 * SECOND);
    for (double rate : rates) {
      assertThat(rate).isCloseTo(TESTBED / 4.0, within(0.05 * TESTBED / 4));
    }
    assertThat(lab.utilisation()).isGreaterThan(0.95);
    assertThat(sluice.feedbackMessages()).isZero();
    assertThat(sluice.engine().portStatuses())
        .filteredOn(PortStatus::congested)
        .singleElement()
        .satisfies(port -> assertThat(port.marksFrom().map(Enum::name)).contains(signals.name()));
  }

  @ParameterizedTest
  @EnumSource(names = {"METERS", "PORTS"})
  void atAGigabitItTakesLonger(Signals signals) {
    Lab lab = floods(GIGABIT, 20);
    install(lab, with(signals));
    lab.measureFrom(3 * SECOND);
    double[] rates = lab.ratesUntil(5 * SECOND);
    for (double rate : rates) {
      assertThat(rate).isCloseTo(GIGABIT / 4.0, within(0.1 * GIGABIT / 4));
    }
    assertThat(lab.utilisation()).isGreaterThan(0.8);
  }

  @Test
  void withoutAControllerSourcesStandAtTheirShares() {
    Lab lab = floods(TESTBED, 8);
    SluiceDeployment.install(
        lab.network,
        SluiceParameters.builder()
            .engine(with(Signals.METERS))
            .absence(new Absence(2 * SECOND, Absence.FOR_EVER))
            .build());
    lab.measureFrom(2 * SECOND + 500 * MILLI);
    for (double rate : lab.ratesUntil(5 * SECOND)) {
      assertThat(rate).isCloseTo(TESTBED / 4.0, within(0.05 * TESTBED / 4));
    }
  }

  @Test
  void thePapersLawTakesMetersToo() {
    Lab lab = floods(GIGABIT, 20);
    install(lab, with(Signals.METERS).withLaw(Law.SDN_GCC));
    lab.measureFrom(2 * SECOND);
    for (double rate : lab.ratesUntil(5 * SECOND)) {
      assertThat(rate).isCloseTo(0.23 * GIGABIT, within(0.03 * GIGABIT));
    }
  }

  @Test
  void whereAllTellSwitchesTellHostsMarksApart() {
    Lab lab = floods(TESTBED, 8);
    SluiceDeployment sluice = install(lab, with(Signals.AUTO));
    lab.measureFrom(2 * SECOND);
    for (double rate : lab.ratesUntil(3 * SECOND)) {
      assertThat(rate).isCloseTo(TESTBED / 4.0, within(0.05 * TESTBED / 4));
    }
    assertThat(sluice.engine().portStatuses()).filteredOn(PortStatus::congested).hasSize(1);
  }
}
