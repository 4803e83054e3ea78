// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.application.RackFixture.MILLISECOND;
import static org.sluice.sim.application.RackFixture.SECOND;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/** Flows come when they should, are logged, and leave nothing behind. */
class ArrivalsTest {
  private static final long RATE = 10_000_000_000L;

  private final RackFixture rack = new RackFixture(8, RATE, MILLISECOND / 10, 5);
  private final FlowLauncher launcher =
      new FlowLauncher(rack.network, "web", TcpParameters.DEFAULTS);

  @Test
  void hundredThousandShortFlowsNeedFewObjects() {
    SizeDistribution sizes =
        SizeDistribution.ofPoints(new double[] {100, 20_000}, new double[] {0, 1});
    PoissonArrivals arrivals =
        new PoissonArrivals(
            rack.network,
            "web",
            launcher,
            new EndpointPairs(rack.endpoints, rack.endpoints),
            sizes,
            PoissonArrivals.rateForLoad(0.3 * 8 * RATE, sizes));
    arrivals.start(0);
    arrivals.stop(SECOND / 3);
    rack.scheduler.runUntil(2 * SECOND);
    // 24 Gbit/s of 10 KB: 298,500 a second.
    assertThat((double) launcher.launched()).isCloseTo(99_500, within(1_000.0));
    assertThat(launcher.open()).isZero();
    assertThat(launcher.log().count()).isEqualTo((int) launcher.launched());
    assertThat(launcher.flows().size()).isLessThan(1_000);
    assertThat(rack.network.pool().inUse()).isZero();
    long delivered =
        launcher.flows().stream()
            .mapToLong(flow -> flow.statistics().deliveredPayloadBytes())
            .sum();
    long logged = 0;
    for (int i = 0; i < launcher.log().count(); i++) {
      logged += launcher.log().bytes(i);
    }
    assertThat(delivered).isEqualTo(logged);
    assertThat((double) logged / launcher.launched()).isCloseTo(10_050, within(100.0));
  }

  @Test
  void traceIsReplayed() throws IOException {
    List<TraceArrivals.Entry> entries =
        TraceArrivals.read(
            new StringReader("# ns,from,to,bytes\n2000000,e1,e2,1000\n1000000, e0, e3, 50000\n"),
            "trace",
            rack.network);
    new TraceArrivals(rack.network, launcher, entries).start(5 * MILLISECOND);
    rack.scheduler.runUntil(SECOND);
    FlowLog log = launcher.log();
    assertThat(log.count()).isEqualTo(2);
    assertThat(log.startNanos(0)).isEqualTo(6 * MILLISECOND);
    assertThat(log.bytes(0)).isEqualTo(50_000);
    assertThat(log.startNanos(1)).isEqualTo(7 * MILLISECOND);
    // The handshake, then one segment: a round trip and a half.
    assertThat((double) log.durationNanos(1)).isCloseTo(150_000, within(3_000.0));
    assertThat(log.durations(0, 2_000).count()).isEqualTo(1);
    assertThat(launcher.flows()).hasSize(1);
    TcpFlow flow = launcher.flows().get(0);
    assertThat(flow.source()).isSameAs(rack.network.endpoint("e1"));
    assertThat(flow.destination()).isSameAs(rack.network.endpoint("e2"));
  }

  @Test
  void invalidTraceIsRejectedWithItsLine() {
    refused(
        "1,e0,e1,10\n1,e0,nobody,10\n",
        "trace, line 2 (1,e0,nobody,10): there is no endpoint nobody");
    refused("1,e0,e1\n", "write nanoseconds,source,destination,bytes");
    refused("now,e0,e1,10\n", "nanoseconds must be a whole number, not now");
    refused("1,e0,e1,0\n", "bytes must be at least 1, not 0");
  }

  private void refused(String text, String message) {
    assertThatThrownBy(() -> TraceArrivals.read(new StringReader(text), "trace", rack.network))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void theSameSeedGivesTheSameFlows() {
    assertThat(runOnce(9)).isEqualTo(runOnce(9)).isNotEqualTo(runOnce(10));
  }

  private static long runOnce(long seed) {
    RackFixture rack = new RackFixture(4, RATE, MILLISECOND / 10, seed);
    FlowLauncher launcher = new FlowLauncher(rack.network, "web", TcpParameters.DEFAULTS);
    PoissonArrivals arrivals =
        new PoissonArrivals(
            rack.network,
            "web",
            launcher,
            new EndpointPairs(rack.endpoints, rack.endpoints),
            SizeDistribution.webSearch(),
            50);
    arrivals.start(0);
    rack.scheduler.runUntil(SECOND);
    long hash = launcher.launched();
    for (int i = 0; i < launcher.log().count(); i++) {
      hash = hash * 31 + launcher.log().durationNanos(i);
    }
    return hash;
  }
}
