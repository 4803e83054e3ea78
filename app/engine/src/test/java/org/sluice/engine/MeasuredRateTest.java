// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.sluice.engine.EngineFixture.MILLIS;
import static org.sluice.engine.EngineFixture.observation;
import static org.sluice.engine.EngineFixture.received;
import static org.sluice.engine.EngineFixture.sent;

import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.sluice.api.TenantId;
import org.sluice.api.link.PairSample;
import org.sluice.engine.path.Path;

/** What ports carried, and endpoints and tenants got through, for those who look. */
class MeasuredRateTest {
  private static final TenantId FIRST = TenantId.of("t1");
  private static final long SETTLED_MILLIS = 2000;

  private final EngineFixture fixture = EngineFixture.dumbbell(3);
  private long millis;

  /** Ticks every 5 ms; measures every second, and then looks. */
  private void pass(long howLong, LongConsumer reports, Runnable look) {
    for (long end = millis + howLong; millis < end; ) {
      fixture.tick();
      millis += 5;
      reports.accept(millis);
      if (millis % 1000 == 0) {
        fixture.engine.measure();
        look.run();
      }
    }
  }

  private void report(int host, long intervalMillis, PairSample... pairs) {
    fixture.engine.observe(observation(host, fixture.now(), intervalMillis * MILLIS, pairs));
  }

  /** 12 Mbit/s, reported every so many ms. */
  private void steady(long at, int intervalMillis) {
    if (at % intervalMillis == 0) {
      report(1, intervalMillis, sent(1, 9, intervalMillis));
      report(9, intervalMillis, received(1, 9, intervalMillis, 0));
    }
  }

  private double portMbits() {
    return fixture.status(1).loadBitsPerSecond() / 1e6;
  }

  private double endpointMbits() {
    return fixture.engine.deliveredBitsPerSecond(EngineFixture.endpoint(1)) / 1e6;
  }

  private double tenantMbits() {
    return fixture.engine.delivered().get(FIRST).bitsPerSecond / 1e6;
  }

  /** Reports of 55 and 200 ms fit no second: each would move the mean of some second. */
  @Test
  void steadyFlowHasTheSameRateInEachSecondHoweverItIsReported() {
    for (int interval : new int[] {5, 55, 200}) {
      pass(SETTLED_MILLIS, at -> steady(at, interval), () -> {});
      pass(
          10_000,
          at -> steady(at, interval),
          () -> {
            assertThat(portMbits()).isCloseTo(12, withinPercentage(0.5));
            assertThat(endpointMbits()).isCloseTo(12, withinPercentage(0.5));
            assertThat(tenantMbits()).isCloseTo(12, withinPercentage(0.5));
          });
    }
  }

  /** Bursts of 40 ms in each 400 ms: momentary rates are 0, or ten times as high. */
  @Test
  void burstsAreMeasuredByTheirMean() {
    LongConsumer bursts =
        at -> {
          if (at % 400 < 40) {
            report(9, 5, received(1, 9, 50, 0));
          }
        };
    pass(SETTLED_MILLIS, bursts, () -> {});
    pass(10_000, bursts, () -> assertThat(portMbits()).isBetween(9.0, 15.0));
  }

  @Test
  void bytesSinceTheStartAreThoseThatWereReported() {
    pass(10_000, at -> steady(at, 50), () -> {});
    pass(2000, at -> {}, () -> {});
    long bytes = 10_000 * EngineFixture.PACKET_BYTES;
    assertThat(fixture.status(1).carriedBytes()).isCloseTo(bytes, withinPercentage(0.01));
    assertThat(fixture.engine.delivered().get(FIRST).bytes)
        .isEqualTo(fixture.status(1).carriedBytes());
    assertThat(portMbits()).isZero();
  }

  /** A host's reports waited for five seconds: they are counted, and in no second's rate. */
  @Test
  void reportsOfLongAgoMakeNoRate() {
    pass(SETTLED_MILLIS, at -> {}, () -> {});
    report(9, 5000, received(1, 9, 5000, 0));
    pass(2000, at -> {}, () -> assertThat(portMbits()).isLessThanOrEqualTo(12));
    assertThat(fixture.status(1).carriedBytes()).isEqualTo(5000 * EngineFixture.PACKET_BYTES);
  }

  /** 440 Mbit/s are sent to a port of 50: what got through is what arrived. */
  @Test
  void floodIsMeasuredWhereItArrives() {
    pass(SETTLED_MILLIS, at -> report(9, 5, received(2, 9, 1, 0)), () -> {});
    pass(
        3000,
        at -> {
          report(1, 5, sent(1, 9, 183));
          report(9, 5, received(1, 9, 20, 2));
        },
        () -> assertThat(portMbits()).isLessThanOrEqualTo(50));
    assertThat(endpointMbits()).isCloseTo(48, withinPercentage(1));
  }

  @Test
  void senderIsBelievedWhereNobodyReportsArrivals() {
    pass(5000, at -> report(1, 5, sent(1, 9, 5)), () -> {});
    assertThat(endpointMbits()).isCloseTo(12, withinPercentage(0.5));
  }

  @Test
  void pathOverSeveralPortsLeavesEachItsPart() {
    fixture.path(
        1,
        9,
        Path.of(
            List.of(
                Path.Hop.of(EngineFixture.port(1), 0.25), Path.Hop.of(EngineFixture.port(2), 1)),
            false));
    pass(4000, at -> steady(at, 50), () -> {});
    assertThat(portMbits()).isCloseTo(3, withinPercentage(0.5));
    assertThat(fixture.status(2).loadBitsPerSecond() / 1e6).isCloseTo(12, withinPercentage(0.5));
  }

  /** Engine time does not leap over a pause; what passes meanwhile passes in that time. */
  @Test
  void pauseOfTheEngineRaisesNoRate() {
    pass(SETTLED_MILLIS, at -> steady(at, 50), () -> {});
    fixture.tickAt(fixture.now() + 600 * MILLIS);
    report(9, 600, received(1, 9, 600, 0));
    pass(3000, at -> steady(at, 50), () -> assertThat(portMbits()).isBetween(11.9, 12.1));
  }

  @Test
  void nextHolderOfARowBeginsAnew() {
    pass(3000, at -> steady(at, 50), () -> {});
    fixture.engine.removeEndpoint(EngineFixture.endpoint(1));
    fixture.endpointAt(4).endpointAt(1);
    assertThat(endpointMbits()).isZero();
    assertThat(fixture.engine.deliveredBitsPerSecond(EngineFixture.endpoint(4))).isZero();
  }
}
