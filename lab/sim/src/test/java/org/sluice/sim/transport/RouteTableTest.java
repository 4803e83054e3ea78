// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sluice.sim.event.Event;
import org.sluice.sim.queue.DropTail;

/** Connections take from routes what a kernel's take. */
class RouteTableTest {
  private static final long GIGABIT = 1_000_000_000L;
  private static final int TWENTY_SEGMENTS = 20 * 1460;

  private final RouteTable routes = new RouteTable();
  private final TcpParameters parameters = TcpParameters.builder().routes(routes).build();

  private static TestPath path(int packets) {
    return new TestPath(1, GIGABIT, 10 * MILLISECOND, new DropTail(packets));
  }

  private static RouteMetrics window(int segments) {
    return new RouteMetrics(segments, 0, null, 0);
  }

  private void toAll(TestPath path, RouteMetrics metrics) {
    routes.replace(path.sources[0].host(), metrics, Map.of());
  }

  private long completionMillis(TestPath path, TcpFlow flow) {
    path.runUntil(30 * SECOND);
    return (flow.statistics().completionNanos() - flow.statistics().startNanos()) / MILLISECOND;
  }

  /** A handshake and half a round trip; another round trip for the second ten segments. */
  @Test
  void newConnectionsUseTheInitialWindowOfTheirRoute() {
    TestPath plain = path(1000);
    TcpFlow slow = plain.tcp(0, parameters, TWENTY_SEGMENTS);
    slow.start(0);
    assertThat(completionMillis(plain, slow)).isEqualTo(25);
    TestPath hinted = path(1000);
    toAll(hinted, window(20));
    TcpFlow fast = hinted.tcp(0, parameters, TWENTY_SEGMENTS);
    fast.start(0);
    assertThat(completionMillis(hinted, fast)).isEqualTo(15);
  }

  @Test
  void hostRouteTakesPrecedenceOverTheDefault() {
    TestPath path = path(1000);
    routes.replace(path.sources[0].host(), window(5), Map.of(path.sink.host(), window(20)));
    TcpFlow flow = path.tcp(0, parameters, TWENTY_SEGMENTS);
    flow.start(0);
    assertThat(completionMillis(path, flow)).isEqualTo(15);
    toAll(path, window(5));
    assertThat(routes.metrics(path.sources[0].host(), path.sink)).isEqualTo(window(5));
  }

  /** All is lost from 100 ms on: the timer that is started then is the route's. */
  @Test
  void openConnectionsApplyTheMinimumTimeoutAtOnce() {
    assertThat(timeoutsWithin(0)).isEqualTo(1);
    assertThat(timeoutsWithin(2 * MILLISECOND)).isGreaterThan(2);
  }

  private long timeoutsWithin(long rtoMinNanos) {
    TestPath path = path(1000);
    TcpFlow flow = path.tcp(0, parameters, TcpFlow.ENDLESS);
    flow.start(0);
    path.runUntil(50 * MILLISECOND);
    toAll(path, new RouteMetrics(0, rtoMinNanos, null, 0));
    path.runUntil(100 * MILLISECOND);
    path.bottleneck.setUp(false);
    path.runUntil(400 * MILLISECOND);
    return flow.statistics().timeouts();
  }

  @Test
  void newConnectionsUseTheRoutesCongestionControl() {
    TestPath path = path(1000);
    TcpFlow flow = path.tcp(0, parameters, TWENTY_SEGMENTS);
    flow.start(0);
    path.runUntil(SECOND);
    assertThat(flow.congestionControl()).isInstanceOf(NewReno.class);
    for (CongestionControls each :
        new CongestionControls[] {CongestionControls.BBR_V1, CongestionControls.CUBIC}) {
      toAll(path, new RouteMetrics(0, 0, each, 0));
      flow.start(path.scheduler.now(), TWENTY_SEGMENTS);
      path.runUntil(path.scheduler.now() + SECOND);
      assertThat(flow.isClosed()).isTrue();
    }
    assertThat(flow.congestionControl()).isInstanceOf(Cubic.class);
    assertThat(flow.statistics().completions()).isEqualTo(3);
  }

  @Test
  void congestionControlWithOtherEcnModeIsNotUsed() {
    TestPath path = path(1000);
    toAll(path, new RouteMetrics(0, 0, CongestionControls.DCTCP, 0));
    TcpFlow flow = path.tcp(0, parameters, TWENTY_SEGMENTS);
    flow.start(0);
    path.runUntil(SECOND);
    assertThat(flow.congestionControl()).isInstanceOf(NewReno.class);
  }

  /** 10 Mbit/s of payload, from half a second on. */
  @Test
  void openConnectionsArePacedByTheirRoute() {
    TestPath path = path(1000);
    TcpFlow flow = path.tcp(0, parameters, TcpFlow.ENDLESS);
    flow.start(0);
    path.scheduler.arm(
        Event.running(() -> toAll(path, new RouteMetrics(0, 0, null, 10_000_000))), SECOND / 2);
    path.runUntil(SECOND);
    long before = flow.statistics().deliveredPayloadBytes();
    path.runUntil(3 * SECOND);
    long bits = (flow.statistics().deliveredPayloadBytes() - before) * 8;
    assertThat(bits / 2).isBetween(9_900_000L, 10_100_000L);
  }
}
