// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.queue.RedQueue;

/** D2TCP: the urgent flow backs off less. */
class D2tcpTest {
  private static final long RATE = 10_000_000_000L;
  private static final long RTT = MILLISECOND / 10;

  private TestPath path = path(RTT, 65);

  private static TestPath path(long rttNanos, int threshold) {
    RedParameters step = RedParameters.step(10_000, threshold, RedParameters.NonEct.PASS);
    return new TestPath(2, RATE, rttNanos, new RedQueue(step, RATE, new SplittableRandom(1)));
  }

  private TcpFlow flow(int source, CongestionControls control, long bytes) {
    TcpParameters parameters =
        TcpParameters.builder().congestionControl(control).delayedAck(false).build();
    return path.tcp(source, parameters, bytes);
  }

  private static D2tcp control(TcpFlow flow) {
    return (D2tcp) flow.congestionControl();
  }

  /**
   * Both are marked together and then grow by a segment for as many round trips n, so that each
   * gives up W p / 2 = n: the greatest windows are as 1 / p, and the mean ones, n / 2 below, as (1
   * - p / 4) / p.
   */
  @ParameterizedTest
  @CsvSource({"1, 0.5, 0.05", "2, 1, 0.12"})
  void sharesAreInverselyProportionalToPenalties(
      double urgency, double otherUrgency, double tolerance) {
    path = path(10 * RTT, 400);
    TcpFlow urgent = withUrgency(0, urgency);
    TcpFlow patient = withUrgency(1, otherUrgency);
    urgent.start(0);
    patient.start(MILLISECOND / 3);
    path.runUntil(SECOND / 2);
    long urgentBefore = urgent.statistics().receivedIpBytes();
    long patientBefore = patient.statistics().receivedIpBytes();
    double urgentPenalty = 0;
    double patientPenalty = 0;
    int samples = 20_000;
    for (int i = 0; i < samples; i++) {
      path.runUntil(path.scheduler.now() + MILLISECOND / 10);
      urgentPenalty += control(urgent).penalty() / samples;
      patientPenalty += control(patient).penalty() / samples;
    }
    assertThat(control(urgent).urgency()).isEqualTo(urgency);
    assertThat(control(patient).urgency()).isEqualTo(otherUrgency);
    double ratio =
        (double) (urgent.statistics().receivedIpBytes() - urgentBefore)
            / (patient.statistics().receivedIpBytes() - patientBefore);
    double law =
        (1 - urgentPenalty / 4) / urgentPenalty / ((1 - patientPenalty / 4) / patientPenalty);
    assertThat(ratio).isCloseTo(law, within(tolerance * law));
  }

  private TcpFlow withUrgency(int source, double urgency) {
    TcpFlow flow = flow(source, CongestionControls.D2TCP, 1_000_000_000_000L);
    if (urgency == 2) {
      flow.setDeadlineNanos(1);
    } else if (urgency == 0.5) {
      flow.setDeadlineNanos(Long.MAX_VALUE - 1);
    }
    return flow;
  }

  @Test
  void equalsDctcpWithoutDeadline() {
    TcpFlow one = flow(0, CongestionControls.D2TCP, 20_000_000);
    one.start(0);
    path.runUntil(SECOND);
    TestPath other = path(RTT, 65);
    TcpFlow dctcp =
        other.tcp(
            0,
            TcpParameters.builder()
                .congestionControl(CongestionControls.DCTCP)
                .delayedAck(false)
                .build(),
            20_000_000);
    dctcp.start(0);
    other.runUntil(SECOND);
    assertThat(one.statistics().completionNanos())
        .isPositive()
        .isEqualTo(dctcp.statistics().completionNanos());
  }

  @Test
  void urgencyIsBounded() {
    TcpFlow flow = flow(0, CongestionControls.D2TCP, 10_000_000);
    flow.setDeadlineNanos(2 * MILLISECOND);
    flow.start(0);
    path.runUntil(MILLISECOND);
    assertThat(control(flow).urgency()).isEqualTo(2);
  }

  @Test
  void urgencyIsTheTimeNeededOverTheTimeLeft() {
    TcpFlow flow = flow(0, CongestionControls.D2TCP, 10_000_000);
    flow.setDeadlineNanos(10 * MILLISECOND);
    flow.start(0);
    path.runUntil(5 * MILLISECOND);
    double remaining = 10_000_000 - flow.statistics().deliveredPayloadBytes();
    double perSecond =
        0.75 * flow.congestionControl().windowBytes() / (flow.statistics().rttMeanNanos() / 1e9);
    assertThat(control(flow).urgency()).isCloseTo(remaining / perSecond / 5e-3, within(0.15));
  }
}
