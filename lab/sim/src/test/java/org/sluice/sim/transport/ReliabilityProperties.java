// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Whatever the network does: all bytes, once, in order, and no packet is left behind. */
class ReliabilityProperties {
  private static final long HOUR = 3600 * SECOND;

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void allBytesArriveOnceAndNoPacketRemains(
      @ForAll @LongRange(min = 1, max = 400_000) long bytes,
      @ForAll @DoubleRange(min = 0, max = 0.3) double loss,
      @ForAll @DoubleRange(min = 0, max = 0.3) double otherTrouble,
      @ForAll boolean sack,
      @ForAll boolean delayedAck,
      @ForAll boolean timestamps,
      @ForAll EcnMode ecn,
      @ForAll CongestionControls control,
      @ForAll @IntRange(min = 2, max = 400) int windowSegments,
      @ForAll long seed) {
    HostileQueue there = hostile(seed, loss, otherTrouble);
    HostileQueue back = hostile(~seed, loss, otherTrouble);
    TestPath path = new TestPath(1, 100_000_000L, MILLISECOND, there, back, seed);
    there.duplicateFrom(path.network.pool());
    back.duplicateFrom(path.network.pool());
    TcpParameters parameters =
        TcpParameters.builder()
            .rtoMaxNanos(SECOND)
            .sack(sack)
            .delayedAck(delayedAck)
            .timestamps(timestamps)
            .congestionControl(control)
            .ecn(control.ecn() == EcnMode.DCTCP ? EcnMode.DCTCP : ecn)
            .receiveWindowBytes(windowSegments * 1460L)
            .build();
    TcpFlow flow = path.tcp(0, parameters, bytes);
    long[] delivered = new long[1];
    flow.onDelivered(more -> delivered[0] += more);
    flow.start(0);
    for (int connection = 1; connection <= 2; connection++) {
      path.runUntil(connection * HOUR);
      assertThat(flow.isClosed()).isTrue();
      assertThat(delivered[0]).isEqualTo(connection * bytes);
      assertThat(flow.statistics().deliveredPayloadBytes()).isEqualTo(connection * bytes);
      assertThat(flow.statistics().completions()).isEqualTo(connection);
      assertThat(path.network.pool().inUse()).isZero();
      assertThat(flow.flightBytes()).isZero();
      flow.start(connection * HOUR);
    }
  }

  private static HostileQueue hostile(long seed, double loss, double otherTrouble) {
    HostileQueue queue = new HostileQueue(seed);
    queue.loss = loss;
    queue.mark = otherTrouble;
    queue.duplication = otherTrouble;
    queue.reordering = otherTrouble;
    return queue;
  }
}
