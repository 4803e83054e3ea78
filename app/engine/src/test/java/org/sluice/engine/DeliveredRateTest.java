// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;

/** What tenants get through, as the engine's pairs measure it. */
class DeliveredRateTest {
  private static final TenantId RED = TenantId.of("red");
  private static final TenantId BLUE = TenantId.of("blue");

  private final EngineFixture fixture = EngineFixture.dumbbell(3);

  private void join(TenantId tenant, int... endpoints) {
    for (int n : endpoints) {
      fixture.engine.putEndpoint(
          EndpointProfile.of(EngineFixture.endpoint(n), tenant, 1, 0, 0, false),
          Set.of(EngineFixture.ip(n)));
    }
  }

  /** 12 Mbit/s each arrive; what is sent beyond that is lost. */
  private void send(long millis) {
    for (long passed = 0; passed < millis; passed += 5) {
      for (int n = 1; n <= 3; n++) {
        fixture.observe(n, EngineFixture.sent(n, 9, 20));
        fixture.observe(9, EngineFixture.received(n, 9, 5, 0));
      }
      fixture.tick();
    }
  }

  private double deliveredMbits(TenantId tenant) {
    return fixture.delivered(tenant) / 1e6;
  }

  @Test
  void isTheSumOfArrivalsFromATenantsEndpoints() {
    join(RED, 1, 2);
    join(BLUE, 3);
    send(500);
    assertThat(deliveredMbits(RED)).isCloseTo(24, within(0.5));
    assertThat(deliveredMbits(BLUE)).isCloseTo(12, within(0.5));
  }

  private void pause(long millis) {
    for (long passed = 0; passed < millis; passed += 5) {
      for (int n = 2; n <= 3; n++) {
        fixture.observe(9, EngineFixture.received(n, 9, 5, 0));
      }
      fixture.tick();
    }
  }

  /**
   * One of three pauses, while its receiver's host reports the others: what it got is not held as
   * if nothing had been reported. Pairs are evaluated every 40 ms; after 20 ms it counts for
   * nothing.
   */
  @Test
  void pairMissingFromReportsIsPaused() {
    join(RED, 1);
    join(BLUE, 2, 3);
    send(500);
    pause(80);
    assertThat(deliveredMbits(RED)).isZero();
    assertThat(deliveredMbits(BLUE)).isCloseTo(24, within(0.5));
  }

  /** 0.1 Mbit/s: one packet in 120 ms is all that there is. */
  @Test
  void sparseSenderIsNotPaused() {
    join(RED, 1);
    join(BLUE, 2, 3);
    for (int i = 0; i < 10; i++) {
      fixture.observe(9, EngineFixture.received(1, 9, 1, 0));
      pause(120);
      assertThat(deliveredMbits(RED)).as("round %d", i).isPositive();
    }
  }

  /** 0.8 Mbit/s: most reports of the receiver's host come between two of its packets. */
  @Test
  void gapBetweenPacketsOfASlowPairIsNotAPause() {
    join(RED, 1);
    join(BLUE, 2, 3);
    for (int i = 0; i < 100; i++) {
      fixture.observe(9, EngineFixture.received(1, 9, 1, 0));
      for (int report = 0; report < 3; report++) {
        pause(5);
        if (i > 30) {
          assertThat(deliveredMbits(RED)).as("packet %d", i).isCloseTo(0.8, within(0.04));
        }
      }
    }
  }

  /** Reports of marks come every 5 ms, ticks rarely: each fades by its own age. */
  @ParameterizedTest
  @ValueSource(longs = {5, 10, 20, 50, 100, 300, 1000})
  void isIndependentOfTheControlPeriod(long periodMillis) {
    EngineFixture rare =
        EngineFixture.dumbbell(
            1,
            EngineParameters.DEFAULTS.withControlPeriodNanos(periodMillis * EngineFixture.MILLIS));
    for (long millis = 0; millis < 5000; millis += periodMillis) {
      for (long at = 5; at <= periodMillis; at += 5) {
        rare.engine.observe(
            EngineFixture.observation(
                9,
                rare.now() + at * EngineFixture.MILLIS,
                5 * EngineFixture.MILLIS,
                EngineFixture.received(1, 9, 5, 0)));
      }
      rare.tick();
    }
    double mbits = Arrays.stream(rare.engine.state.tenants.deliveredBitsPerSecond).sum() / 1e6;
    assertThat(mbits).isCloseTo(12, within(0.6));
  }

  /** A host from which nothing comes may have seen as much as before, for a while. */
  @Test
  void rateIsHeldWithoutAnyReport() {
    join(RED, 1, 2, 3);
    send(500);
    fixture.pass(50);
    assertThat(deliveredMbits(RED)).isCloseTo(36, within(0.5));
  }

  @Test
  void followsAnEndpointToAnotherTenant() {
    join(RED, 1, 2);
    join(BLUE, 3);
    send(500);
    join(BLUE, 2);
    assertThat(deliveredMbits(RED)).isCloseTo(12, within(0.5));
    assertThat(deliveredMbits(BLUE)).isCloseTo(24, within(0.5));
  }

  @Test
  void rateFadesToZeroWithoutReports() {
    join(RED, 1, 2, 3);
    send(100);
    fixture.pass(2_500);
    assertThat(deliveredMbits(RED)).isZero();
  }
}
