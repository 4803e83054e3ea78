// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.deadline.FlowOutcome;
import org.sluice.engine.law.DeadlineParameters;

/** 10,000 registrations at once, over 100 ports that lead to one or the other of ten. */
class ManyFlowsTest {
  private static final int FLOWS = 10_000;
  private static final long MILLI = 1_000_000;
  private static final long SIZE = 100_000;

  private final Deadlines deadlines = new Deadlines(grant -> {}, DeadlineParameters.DEFAULTS);
  private final Random random = new Random(1);

  ManyFlowsTest() {
    for (int i = 0; i < 110; i++) {
      deadlines.putPort(port(i), 118e6, 30_000, 200_000);
    }
  }

  private static PortId port(int number) {
    return PortId.of("of:0000000000000001", number);
  }

  private static List<PortId> path(int flow) {
    return List.of(port(flow % 100), port(100 + flow % 10));
  }

  private static FlowKey key(int flow) {
    return FlowKey.of(
        IpAddress.parse("10.0.1." + flow % 100),
        1 + flow,
        IpAddress.parse("10.0.0." + flow % 10),
        80);
  }

  /** All through one snapshot; returns how many were promised. */
  private int register(int flows, long leastMillis, int spreadMillis) {
    AdmissionSnapshot snapshot = deadlines.snapshot(0);
    List<AdmissionSnapshot.Query> questions = new ArrayList<>();
    for (int i = 0; i < flows; i++) {
      questions.add(deadlines.question(snapshot, key(i), SIZE, path(i), 0));
    }
    int promised = 0;
    for (int i = 0; i < flows; i++) {
      long due = (leastMillis + random.nextInt(spreadMillis)) * MILLI;
      Admission admission = snapshot.decide(questions.get(i), due, false);
      if (admission.isAccepted()) {
        promised++;
        deadlines.admit(i + 1, key(i), SIZE, due, path(i), 0, true, 0);
      } else {
        assertThat(admission.earliestNanos().getAsLong()).isGreaterThan(due);
      }
    }
    return promised;
  }

  /** 1 GB into 1.18 GB/s: a second and a half is enough for all, whatever the order. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void feasibleFlowsAreAdmittedWithinTheTimeBudget() {
    assertThat(register(FLOWS, 2_000, 1_000)).isEqualTo(FLOWS);
  }

  /** Half of them do not fit, and each is answered when it would. */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void infeasibleFlowsAreRejectedWithinTheTimeBudget() {
    assertThat(register(FLOWS / 10, 20, 60)).isBetween(200, 900);
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void allConnectionsAreTracked() {
    register(FLOWS, 2_000, 1_000);
    for (int i = 0; i < FLOWS; i++) {
      deadlines.opened(key(i), path(i), 200_000, MILLI);
    }
    deadlines.tick(2 * MILLI);
    for (int i = 0; i < FLOWS; i++) {
      deadlines.progressed(key(i), SIZE, 200_000, 3 * MILLI);
    }
    deadlines.tick(4 * MILLI);
    assertThat(deadlines.ended().count(FlowOutcome.MET)).isEqualTo(FLOWS);
    assertThat(deadlines.registrations()).isEmpty();
  }
}
