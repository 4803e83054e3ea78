// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.Law;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.Path.Hop;
import org.sluice.engine.time.EngineClock;

/** The small values of the public API. */
class ValuesTest {

  @Test
  void defaultLawIsSluices() {
    assertThat(EngineParameters.DEFAULTS.law()).isEqualTo(Law.SLUICE);
    assertThat(EngineParameters.DEFAULTS.split()).isEqualTo(Split.PROPORTIONAL);
    assertThat(EngineParameters.DEFAULTS.controlPeriodNanos()).isEqualTo(5_000_000);
  }

  @Test
  void parametersChangeOneByOne() {
    EngineParameters changed =
        EngineParameters.DEFAULTS
            .withLaw(Law.SDN_GCC)
            .withSplit(Split.EQUAL)
            .withControlPeriodNanos(300_000_000);
    assertThat(changed.law()).isEqualTo(Law.SDN_GCC);
    assertThat(changed.split()).isEqualTo(Split.EQUAL);
    assertThat(changed.controlPeriodNanos()).isEqualTo(300_000_000);
  }

  @Test
  void lawWithoutControllerIsRejected() {
    assertThatThrownBy(() -> EngineParameters.DEFAULTS.withLaw(Law.HYGENICC))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without a controller");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5, 999_999, 1_000_000_001, Long.MAX_VALUE})
  void controlPeriodStaysWithinBounds(long nanos) {
    assertThatThrownBy(() -> EngineParameters.DEFAULTS.withControlPeriodNanos(nanos))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("controlPeriodNanos")
        .hasMessageEndingWith("not " + nanos);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.5, 1.01, Double.NaN})
  void hopCarriesAFraction(double fraction) {
    assertThatThrownBy(() -> Hop.of(EngineFixture.port(1), fraction))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("" + fraction);
  }

  @Test
  void pathRejectsDuplicatePorts() {
    assertThatThrownBy(
            () ->
                Path.of(
                    List.of(Hop.of(EngineFixture.port(1)), Hop.of(EngineFixture.port(1))), false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("s/1");
  }

  @Test
  void pathsAreEqualByContent() {
    Path path =
        Path.of(List.of(Hop.of(EngineFixture.port(1)), Hop.of(EngineFixture.port(2), 0.5)), true);
    assertThat(path)
        .isEqualTo(
            Path.of(
                List.of(Hop.of(EngineFixture.port(1)), Hop.of(EngineFixture.port(2), 0.5)), true))
        .isNotEqualTo(
            Path.of(
                List.of(Hop.of(EngineFixture.port(1)), Hop.of(EngineFixture.port(2), 0.5)), false))
        .isNotEqualTo(
            Path.of(
                List.of(Hop.of(EngineFixture.port(2), 0.5), Hop.of(EngineFixture.port(1))), true))
        .isNotEqualTo(
            Path.of(List.of(Hop.of(EngineFixture.port(1)), Hop.of(EngineFixture.port(2))), true));
    assertThat(path).hasToString("[s/1, s/2 x 0.5] (estimated)");
  }

  @Test
  void snapshotHasTheLastValue() {
    PortSnapshot snapshot = new PortSnapshot();
    assertThat(snapshot.ports()).isEmpty();
    PortStatus status =
        PortStatus.builder(EngineFixture.port(1))
            .capacityBitsPerSecond(1)
            .capacitySource(CapacitySource.SWITCH)
            .build();
    snapshot.update(List.of(status));
    assertThat(snapshot.ports()).containsExactly(status);
    assertThat(snapshot.port(EngineFixture.port(1))).contains(status);
    assertThat(snapshot.port(EngineFixture.port(2))).isEmpty();
  }

  @Test
  void engineTimeFollowsTheClockWithoutJumps() {
    EngineClock clock = new EngineClock();
    long period = 5_000_000;
    assertThat(clock.advance(1_000_000_000_000L, period)).isTrue();
    assertThat(clock.now()).isEqualTo(5_000_000);
    assertThat(clock.advance(1_000_005_000_000L, period)).isTrue();
    assertThat(clock.now()).isEqualTo(10_000_000);
    assertThat(clock.age(1_000_004_000_000L)).isEqualTo(1_000_000);
    assertThat(clock.advance(1_000_000_000_000L, period)).as("back").isFalse();
    assertThat(clock.now()).isEqualTo(15_000_000);
    assertThat(clock.advance(2_000_000_000_000L, period)).as("leap").isFalse();
    assertThat(clock.now()).isEqualTo(20_000_000);
    assertThat(clock.advance(2_000_250_000_000L, period)).as("slow").isTrue();
    assertThat(clock.now()).isEqualTo(270_000_000);
  }
}
