// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.sim.queue.DropTail;

/** UDP's rate is exact, however long it runs. */
class UdpFlowTest {
  private final TestPath path = new TestPath(1, 1_000_000_000L, MILLISECOND, new DropTail(100));

  private UdpFlow flow(long rate, SendingPattern pattern) {
    return new UdpFlow(path.network, "udp", path.sources[0], path.sink, rate, 1500, pattern);
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000_000, 7_777_777, 333_333_333, 999_999_937})
  void packetsAreSentWithinANanosecondOfTheirTime(long rate) {
    UdpFlow flow = flow(rate, SendingPattern.CONSTANT);
    long[] sent = new long[2];
    path.sources[0]
        .host()
        .nic()
        .setObserver(
            (packet, now) -> {
              // n packets of 12,000 bits take n x 12,000 / rate.
              long ideal =
                  BigInteger.valueOf(sent[0]++ * 12_000)
                      .multiply(BigInteger.valueOf(SECOND))
                      .divide(BigInteger.valueOf(rate))
                      .longValue();
              sent[1] = Math.max(sent[1], Math.abs(now - 5 - ideal));
            });
    flow.start(5);
    flow.stop(10 * SECOND + 5);
    path.runUntil(11 * SECOND);
    assertThat(sent[1]).isLessThanOrEqualTo(1);
    assertThat(sent[0]).isEqualTo((10 * rate + 11_999) / 12_000);
    assertThat(flow.statistics().sentPackets()).isEqualTo(sent[0]);
    assertThat(flow.statistics().receivedIpBytes()).isEqualTo(sent[0] * 1500);
    assertThat(flow.statistics().deliveredPayloadBytes()).isEqualTo(sent[0] * 1472);
    assertThat(path.network.pool().inUse()).isZero();
  }

  /** Within 1 %: the mean of 10,000 gaps of a standard deviation of 0.58 of the mean. */
  @Test
  void randomGapsKeepTheRate() {
    UdpFlow flow = flow(120_000_000, SendingPattern.CONSTANT.withRandomGaps());
    long[] gaps = new long[3];
    path.sources[0]
        .host()
        .nic()
        .setObserver(
            (packet, now) -> {
              gaps[now - gaps[2] > 100_000 ? 0 : 1]++;
              gaps[2] = now;
            });
    flow.start(0);
    flow.stop(SECOND);
    path.runUntil(2 * SECOND);
    assertThat((double) flow.statistics().sentPackets()).isCloseTo(10_000, within(200.0));
    assertThat(gaps[0]).as("longer than the mean").isBetween(4500L, 5500L);
  }

  @Test
  void fixedOffPeriodsAreKept() {
    UdpFlow flow = flow(120_000_000, SendingPattern.fixed(MILLISECOND, 3 * MILLISECOND));
    flow.start(0);
    flow.stop(40 * MILLISECOND);
    path.runUntil(SECOND);
    // Ten periods with a packet every 100 us.
    assertThat(flow.statistics().sentPackets()).isEqualTo(10 * 10);
  }

  @Test
  void randomOffPeriodsHaveTheirMean() {
    UdpFlow flow = flow(480_000_000, SendingPattern.exponential(5 * MILLISECOND, 15 * MILLISECOND));
    flow.start(0);
    path.runUntil(100 * SECOND);
    double mean = flow.statistics().receivedIpBytes() * 8 / 100.0;
    assertThat(mean).isCloseTo(120e6, within(6e6));
  }

  @Test
  void newRateAppliesFromTheNextPacket() {
    UdpFlow flow = flow(12_000_000, SendingPattern.CONSTANT);
    flow.start(0);
    path.runUntil(100 * MILLISECOND - 1);
    assertThat(flow.statistics().sentPackets()).isEqualTo(100);
    flow.setRateBitsPerSecond(120_000_000);
    path.runUntil(200 * MILLISECOND - 1);
    assertThat(flow.statistics().sentPackets()).isEqualTo(1100);
  }
}
