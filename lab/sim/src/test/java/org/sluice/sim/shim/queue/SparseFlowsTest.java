// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SparseFlowsTest {
  private static final long MILLI = 1_000_000;
  private static final ClassQueueParameters PARAMETERS =
      new ClassQueueParameters(1_000_000_000L, 1500, 0, Enforcement.HTB, 25 * MILLI);

  private final SparseFlows flows = new SparseFlows(PARAMETERS);

  @Test
  void flowIsBulkAfterItsFirst15Kilobytes() {
    for (int i = 0; i < 10; i++) {
      assertThat(flows.isSparse(7, 0, 1500, true, i)).isTrue();
    }
    assertThat(flows.isSparse(7, 0, 1500, true, 10)).isFalse();
    assertThat(flows.isSparse(8, 0, 1500, true, 10)).as("another flow").isTrue();
  }

  @Test
  void flowIsSparseAgainAfterAPause() {
    for (int i = 0; i < 20; i++) {
      flows.isSparse(7, 0, 1500, true, i);
    }
    assertThat(flows.isSparse(7, 0, 100, true, 90 * MILLI)).as("recent bytes count").isFalse();
    assertThat(flows.isSparse(7, 0, 100, true, 300 * MILLI)).isTrue();
  }

  @Test
  void slowFlowStaysSparse() {
    for (long now = 0; now < 5000 * MILLI; now += MILLI) {
      assertThat(flows.isSparse(7, 0, 140, true, now)).isTrue();
    }
  }

  /** 8 Mbit/s of acknowledgements. */
  @Test
  void acknowledgementsAreSparseHoweverMany() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(flows.isSparse(7, 0, 100, false, i * 100_000L)).isTrue();
    }
    for (int i = 0; i < 10; i++) {
      flows.isSparse(7, 0, 1500, true, 1000 * MILLI);
    }
    assertThat(flows.isSparse(7, 0, 1500, true, 1000 * MILLI)).as("with data").isFalse();
  }

  @Test
  void sparseFlowsTogetherGetAQuarter() {
    flows.setLimit(1, 12_000_000, PARAMETERS, 0);
    long sparse = 0;
    for (int i = 0; i < 40_000; i++) {
      // 2000 flows in turn at 8 Mb/s: each is slow, together they are not.
      if (flows.isSparse(i % 2000, 1, 100, true, i * 100_000L)) {
        sparse += 100;
      }
    }
    assertThat(sparse * 8 / 4.0).isBetween(1_000_000.0, 3_100_000.0);
  }

  @Test
  void endedFlowsAreRemoved() {
    for (int flow = 0; flow < 100_000; flow++) {
      assertThat(flows.isSparse(flow, 0, 40, true, flow * MILLI)).isTrue();
    }
    assertThat(flows.capacity()).isLessThanOrEqualTo(2048);
  }
}
