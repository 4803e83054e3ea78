// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.queue.RedQueue;

/** D2TCP: the urgent flow backs off less. */
class D2tcpTest {
  private static final long RATE = 10_000_000_000L;
  private static final long RTT = MILLISECOND / 10;

  private final TestPath path =
      new TestPath(
          2,
          RATE,
          RTT,
          new RedQueue(
              RedParameters.step(10_000, 65, RedParameters.NonEct.PASS),
              RATE,
              new SplittableRandom(1)));

  private TcpFlow flow(int source, CongestionControls control, long bytes) {
    TcpParameters parameters =
        TcpParameters.builder().congestionControl(control).delayedAck(false).build();
    return path.tcp(source, parameters, bytes);
  }

  private static D2tcp control(TcpFlow flow) {
    return (D2tcp) flow.congestionControl();
  }

  /**
   * Both are marked together and then grow for as many round trips: reductions W p / 2 are equal,
   * so windows are as 1 / p.
   */
  @Test
  void sharesAreAsTheInversePenalties() {
    TcpFlow urgent = flow(0, CongestionControls.D2TCP, TcpFlow.ENDLESS);
    TcpFlow patient = flow(1, CongestionControls.D2TCP, TcpFlow.ENDLESS);
    urgent.setDeadlineNanos(1);
    patient.setDeadlineNanos(Long.MAX_VALUE - 1);
    urgent.start(10);
    patient.start(MILLISECOND / 3);
    path.runUntil(SECOND / 2);
    long urgentBefore = urgent.statistics().receivedIpBytes();
    long patientBefore = patient.statistics().receivedIpBytes();
    double urgentPenalty = 0;
    double patientPenalty = 0;
    for (int i = 0; i < 20_000; i++) {
      path.runUntil(path.scheduler.now() + MILLISECOND / 20);
      urgentPenalty += control(urgent).penalty();
      patientPenalty += control(patient).penalty();
    }
    assertThat(control(urgent).urgency()).isEqualTo(2);
    double ratio =
        (double) (urgent.statistics().receivedIpBytes() - urgentBefore)
            / (patient.statistics().receivedIpBytes() - patientBefore);
    assertThat(ratio).isCloseTo(patientPenalty / urgentPenalty, within(0.2 * ratio));
    assertThat(ratio).isGreaterThan(1.5);
  }

  @Test
  void withoutDeadlineItIsDctcp() {
    TcpFlow one = flow(0, CongestionControls.D2TCP, 20_000_000);
    one.start(0);
    path.runUntil(SECOND);
    TestPath other =
        new TestPath(
            2,
            RATE,
            RTT,
            new RedQueue(
                RedParameters.step(10_000, 65, RedParameters.NonEct.PASS),
                RATE,
                new SplittableRandom(1)));
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
