// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.sim.packet.Packet;

/** The initial window, its doubling, and the return to it after a pause. */
class SlowStartTest {
  private static final long RTT = 100 * MILLISECOND;

  private final TestPath path = new TestPath(1, 100_000_000_000L, RTT, new SelectiveQueue());
  private final Departures departures = new Departures();

  private List<Long> segmentsPerRound(int rounds) {
    long first = departures.withPayload().get(0).nanos();
    return IntStream.range(0, rounds)
        .mapToObj(
            round ->
                departures.withPayload().stream()
                    .filter(each -> (each.nanos() - first + RTT / 2) / RTT == round)
                    .count())
        .toList();
  }

  private void run(TcpParameters parameters) {
    path.sources[0].host().nic().setObserver(departures);
    path.tcp(0, parameters, TcpFlow.ENDLESS).start(0);
    path.runUntil(10 * RTT);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10})
  void doublesFromTheInitialWindow(int initial) {
    run(
        TcpParameters.builder()
            .initialWindowSegments(initial)
            .delayedAck(false)
            .receiveWindowBytes(1 << 24)
            .build());
    assertThat(segmentsPerRound(6))
        .containsExactly(
            (long) initial, 2L * initial, 4L * initial, 8L * initial, 16L * initial, 32L * initial);
  }

  @Test
  void doublesWithDelayedAcknowledgementsToo() {
    run(TcpParameters.builder().receiveWindowBytes(1 << 24).build());
    assertThat(segmentsPerRound(6)).containsExactly(10L, 20L, 40L, 80L, 160L, 320L);
  }

  @Test
  void growsByHalfWhenCountedInAcknowledgements() {
    run(TcpParameters.builder().growthLimitSegments(1).receiveWindowBytes(1 << 24).build());
    assertThat(segmentsPerRound(4)).containsExactly(10L, 15L, 23L, 33L);
  }

  @Test
  void handshakePrecedesData() {
    run(TcpParameters.DEFAULTS);
    Departures.Departure syn = departures.all.get(0);
    assertThat(syn.flags()).isEqualTo(Packet.SYN);
    assertThat(departures.withPayload().get(0).nanos() - syn.nanos()).isBetween(RTT, RTT + 1000);
  }

  @Test
  void restartsAfterAnIdlePeriod() {
    path.sources[0].host().nic().setObserver(departures);
    TcpFlow flow = path.tcp(0, TcpParameters.DEFAULTS, 0);
    flow.write(200 * 1460);
    flow.start(0);
    path.runUntil(5 * SECOND);
    assertThat(flow.congestionControl().windowBytes()).isGreaterThan(100 * 1460);
    departures.all.clear();
    flow.write(200 * 1460);
    path.runUntil(5 * SECOND + RTT / 2);
    assertThat(departures.withPayload()).hasSize(10);
  }

  @Test
  void windowDoesNotGrowWhileApplicationLimited() {
    TcpFlow flow = path.tcp(0, TcpParameters.DEFAULTS, 0);
    flow.start(0);
    for (int i = 1; i <= 50; i++) {
      path.runUntil(i * 2L * RTT);
      flow.write(1460);
    }
    assertThat(flow.congestionControl().windowBytes()).isEqualTo(10 * 1460);
  }
}
