// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.Resend;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.LossAnswers;
import org.sluice.engine.deadline.LossSink;
import org.sluice.engine.law.DeadlineParameters;

class HostFlowsTest {
  private static final PortId PORT = PortId.of("of:0000000000000001", 1);
  private static final FlowKey FLOW =
      FlowKey.of(IpAddress.parse("10.0.0.1"), 1000, IpAddress.parse("10.0.0.2"), 80);

  private final List<Resend> resends = new ArrayList<>();
  private final Deadlines deadlines = new Deadlines(grant -> {}, DeadlineParameters.DEFAULTS);
  private final LossAnswers losses =
      new LossAnswers(
          deadlines,
          new LossSink() {
            @Override
            public void answer(LossAnswer answer) {}

            @Override
            public void resend(Resend resend) {
              resends.add(resend);
            }
          });
  private final HostFlows hosts = new HostFlows(deadlines, losses);

  HostFlowsTest() {
    deadlines.putPort(PORT, 100e6, 30_000, 200_000);
    deadlines.opened(FLOW, List.of(PORT), 200_000, 0);
    losses.lost(Loss.of(PORT, FLOW, 7000, 1000, 5), 1);
  }

  private void report(FlowUpdate update) {
    hosts.reported(FlowReport.of(HostId.of("h1"), 2, false, List.of(update)), 2);
    losses.tick(2);
  }

  private static FlowUpdate update() {
    return FlowUpdate.of(FLOW, FlowUpdate.State.ESTABLISHED, 8000, 200_000, false);
  }

  /** The flow is all through and due after 1 ms; a report comes that is taken in after 1.5 ms. */
  private FlowOutcome outcome(FlowUpdate update, long reportedNanos) {
    deadlines.admit(1, FLOW, 8000, 1_000_000, List.of(PORT), 0, true, 2);
    FlowReport report = FlowReport.of(HostId.of("h1"), reportedNanos, false, List.of(update));
    hosts.reported(report, 1_500_000);
    return deadlines.ended().latest(1).get(0).outcome();
  }

  @Test
  void deadlineIsJudgedByTheAcknowledgementOfTheLastByte() {
    assertThat(outcome(update().progressedBefore(200_000), 1_200_000)).isEqualTo(FlowOutcome.MET);
  }

  @Test
  void flowAcknowledgedAfterItsDeadlineIsMissed() {
    assertThat(outcome(update().progressedBefore(199_999), 1_200_000))
        .isEqualTo(FlowOutcome.MISSED);
  }

  @Test
  void withoutAcknowledgementTimesTheReportTimeCounts() {
    assertThat(outcome(update(), 1_000_000)).isEqualTo(FlowOutcome.MET);
  }

  @Test
  void reportAfterTheDeadlineMeansAMiss() {
    assertThat(outcome(update(), 1_000_001)).isEqualTo(FlowOutcome.MISSED);
  }

  @Test
  void acknowledgementTimeCountsWhereSwitchesReportConnections() {
    hosts.switches().setActive(true);
    hosts.connectionBegan(FLOW, 1);
    assertThat(outcome(update().progressedBefore(200_000), 1_200_000)).isEqualTo(FlowOutcome.MET);
  }

  @Test
  void acknowledgedPacketIsNotRetransmitted() {
    report(update().acknowledgedTo(8000));
    assertThat(resends).isEmpty();
    assertThat(losses.waiting()).isZero();
  }

  @Test
  void unacknowledgedPacketIsRetransmitted() {
    report(update().acknowledgedTo(7999));
    assertThat(resends).containsExactly(Resend.of(PORT, 5));
  }

  @Test
  void packetIsRetransmittedWithoutAcknowledgementReports() {
    report(update());
    assertThat(resends).hasSize(1);
  }
}
