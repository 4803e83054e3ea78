// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.transport.TestPath.MILLISECOND;
import static org.sluice.sim.transport.TestPath.SECOND;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.queue.RedQueue;

/** In a steady state no packet makes an object: with losses, marks, recoveries and all. */
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final long RATE = 1_000_000_000L;
  private static final int FLOWS = 4;

  @ParameterizedTest
  @EnumSource(CongestionControls.class)
  void steadyStateAllocatesNothing(CongestionControls control) {
    TestPath path =
        new TestPath(
            FLOWS,
            RATE,
            MILLISECOND / 10,
            new RedQueue(
                RedParameters.step(100, 20, RedParameters.NonEct.DROP),
                RATE,
                new SplittableRandom(1)));
    TcpParameters parameters =
        TcpParameters.builder().congestionControl(control).receiveWindowBytes(256 << 10).build();
    for (int i = 0; i < FLOWS; i++) {
      path.tcp(i, parameters, TcpFlow.ENDLESS).start(i * MILLISECOND);
    }
    path.runUntil(2 * SECOND);
    // What the virtual machine itself does at times is not ours: ours would show every time.
    long least = Long.MAX_VALUE;
    for (int second = 3; second <= 6 && least > 0; second++) {
      long hops = path.network.packetHops();
      long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      path.runUntil(second * SECOND);
      long bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
      assertThat(path.network.packetHops() - hops).isGreaterThan(150_000);
      least = Math.min(least, bytes);
    }
    assertThat(least).isZero();
  }
}
