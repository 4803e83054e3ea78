// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.deployment.DumbbellFixture.GIGABIT;
import static org.sluice.sim.deployment.DumbbellFixture.MILLI;
import static org.sluice.sim.deployment.DumbbellFixture.SECOND;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.api.Law;
import org.sluice.api.PortStatus;
import org.sluice.core.setting.SettingTable;
import org.sluice.engine.marks.Signals;
import org.sluice.sim.platform.Outage;

/** Marks counted by switches or their queues' agents, and reported to hosts by notices. */
class NoticesAloneTest {
  private static final long TESTBED = 50_000_000;

  private static SluiceDeployment install(
      DumbbellFixture fixture, SluiceParameters.Builder parameters) {
    return SluiceDeployment.install(fixture.network, parameters.build());
  }

  private static SluiceParameters.Builder with(Signals signals) {
    return SluiceParameters.builder().set(SettingTable.SIGNALS, signals);
  }

  /** Three floods from the start, a fourth one second later. */
  private static DumbbellFixture floods(long bitsPerSecond, int markAt) {
    DumbbellFixture fixture = new DumbbellFixture(4, 1, bitsPerSecond, markAt);
    for (int i = 0; i < 4; i++) {
      fixture.floodFrom(i, i == 3 ? SECOND : i * MILLI, 5 * SECOND);
    }
    return fixture;
  }

  @ParameterizedTest
  @EnumSource(names = {"METERS", "PORTS"})
  void newSourceHasItsShareWithinASecondAt50Megabit(Signals signals) {
    DumbbellFixture fixture = floods(TESTBED, 8);
    SluiceDeployment sluice = install(fixture, with(signals));
    fixture.measureFrom(2 * SECOND);
    double[] rates = fixture.ratesUntil(3 * SECOND);
    for (double rate : rates) {
      assertThat(rate).isCloseTo(TESTBED / 4.0, within(0.05 * TESTBED / 4));
    }
    assertThat(fixture.utilisation()).isGreaterThan(0.95);
    assertThat(sluice.hostMessages()).isZero();
    assertThat(controlled(sluice).get(0).marksFrom().map(Enum::name)).contains(signals.name());
  }

  @ParameterizedTest
  @EnumSource(names = {"METERS", "PORTS"})
  void newSourceTakesLongerAtAGigabit(Signals signals) {
    DumbbellFixture fixture = floods(GIGABIT, 20);
    install(fixture, with(signals));
    fixture.measureFrom(3 * SECOND);
    double[] rates = fixture.ratesUntil(5 * SECOND);
    for (double rate : rates) {
      assertThat(rate).isCloseTo(GIGABIT / 4.0, within(0.1 * GIGABIT / 4));
    }
    assertThat(fixture.utilisation()).isGreaterThan(0.8);
  }

  /** The two ports behind which all that want more lie: both are as narrow, and both are full. */
  private static List<PortStatus> controlled(SluiceDeployment sluice) {
    List<PortStatus> controlled =
        sluice.controller().orElseThrow().ports().ports().stream()
            .filter(PortStatus::congested)
            .toList();
    assertThat(controlled)
        .extracting(port -> port.name().orElseThrow())
        .containsExactly("left/0 -> right", "right/1 -> r1");
    return controlled;
  }

  @Test
  void sourcesKeepTheirSharesWithoutController() {
    DumbbellFixture fixture = floods(TESTBED, 8);
    install(fixture, with(Signals.METERS).absence(new Outage(2 * SECOND, Outage.FOR_EVER)));
    fixture.measureFrom(2 * SECOND + 500 * MILLI);
    for (double rate : fixture.ratesUntil(5 * SECOND)) {
      assertThat(rate).isCloseTo(TESTBED / 4.0, within(0.05 * TESTBED / 4));
    }
  }

  @Test
  void sdnGccUsesMeters() {
    DumbbellFixture fixture = floods(GIGABIT, 20);
    install(fixture, with(Signals.METERS).set(SettingTable.LAW, Law.SDN_GCC));
    fixture.measureFrom(2 * SECOND);
    for (double rate : fixture.ratesUntil(5 * SECOND)) {
      assertThat(rate).isCloseTo(0.23 * GIGABIT, within(0.03 * GIGABIT));
    }
  }

  @Test
  void allMarkSourcesTogetherControlOnlyThePortsThatAreFull() {
    DumbbellFixture fixture = floods(TESTBED, 8);
    SluiceDeployment sluice = install(fixture, with(Signals.AUTO).portAgents(true));
    fixture.measureFrom(2 * SECOND);
    for (double rate : fixture.ratesUntil(3 * SECOND)) {
      assertThat(rate).isCloseTo(TESTBED / 4.0, within(0.05 * TESTBED / 4));
    }
    controlled(sluice);
  }
}
