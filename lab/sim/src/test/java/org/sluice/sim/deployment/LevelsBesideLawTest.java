// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/**
 * 25 Mbit/s, marks from 8 packets on: endless TCP of two senders, one of which has twice the
 * other's weight, and pages of 10 KB of a third.
 */
class LevelsBesideLawTest {
  private static final long MILLI = DumbbellFixture.MILLI;
  private static final long SECOND = DumbbellFixture.SECOND;
  private static final int MARK_AT = 8;
  private static final int PAGES = 60;

  private final DumbbellFixture fixture = new DumbbellFixture(3, 1, 25_000_000, MARK_AT);
  private final List<TcpFlow> endless = new ArrayList<>();
  private final List<TcpFlow> pages = new ArrayList<>();

  private LevelsBesideLawTest run(SluiceParameters.Builder parameters) {
    SluiceDeployment deployment = SluiceDeployment.install(fixture.network, parameters.build());
    deployment.setWeight(sender(1), 2, 0);
    for (int i = 0; i < 4; i++) {
      endless.add(flow("endless " + i, i % 2, TcpFlow.ENDLESS));
      endless.get(i).start(i * MILLI);
    }
    for (int i = 0; i < PAGES; i++) {
      pages.add(flow("page " + i, 2, 10_000));
      pages.get(i).start(2 * SECOND + i * 100L * MILLI);
    }
    fixture.network.scheduler().runUntil(9 * SECOND);
    return this;
  }

  private Endpoint sender(int number) {
    return fixture.dumbbell.senders().get(number);
  }

  private TcpFlow flow(String name, int sender, long bytes) {
    return new TcpFlow(
        fixture.network,
        name,
        sender(sender),
        fixture.dumbbell.receivers().get(0),
        TcpParameters.DEFAULTS,
        bytes);
  }

  private double meanMillis() {
    return pages.stream()
            .map(TcpFlow::statistics)
            .mapToLong(each -> each.completionNanos() - each.startNanos())
            .average()
            .orElseThrow()
        / MILLI;
  }

  private double received(int sender) {
    return endless.get(sender).statistics().deliveredPayloadBytes()
        + endless.get(sender + 2).statistics().deliveredPayloadBytes();
  }

  @Test
  void shortFlowsPassLongOnesAndSharesAreKept() {
    LevelQueueParameters ports = new LevelQueueParameters(false, 100, 100, 100, 0, MARK_AT, 1);
    LevelsBesideLawTest both =
        run(SluiceParameters.builder().levels(LevelParameters.DEFAULTS, ports));
    LevelsBesideLawTest alone = new LevelsBesideLawTest().run(SluiceParameters.builder());

    assertThat(both.meanMillis()).isLessThan(0.8 * alone.meanMillis());
    assertThat(both.received(1) / both.received(0)).isCloseTo(2, within(0.2));
    assertThat(both.received(0) + both.received(1))
        .isGreaterThan(0.95 * (alone.received(0) + alone.received(1)));
  }
}
