// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.sluice.core.testing.VirtualTime;
import org.sluice.core.virtual.VirtualExecution;
import org.sluice.forwarding.spi.LateSwitchException;

/** Reads of switches of which a dead node was the master. */
class SwitchReadsTest {
  private final VirtualTime time = new VirtualTime();
  private final SwitchReads<String> reads =
      new SwitchReads<>(new Threads(time), datapath -> "rules of " + datapath);

  /** Whether who is asked now answers. */
  private boolean isAlive = true;

  private final List<Runnable> unanswered = new ArrayList<>();

  /** Tasks on threads of their own, of which some wait. */
  private final class Threads extends VirtualExecution {
    Threads(VirtualTime time) {
      super(time);
    }

    @Override
    public ExecutorService parallel(String name, int threads) {
      return new AbstractExecutorService() {
        @Override
        public void execute(Runnable task) {
          if (isAlive) {
            task.run();
          } else {
            unanswered.add(task);
          }
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
          return unanswered;
        }

        @Override
        public boolean isShutdown() {
          return false;
        }

        @Override
        public boolean isTerminated() {
          return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
          return false;
        }
      };
    }
  }

  private void late(String datapath) {
    assertThatThrownBy(() -> reads.of(datapath))
        .isInstanceOf(LateSwitchException.class)
        .hasMessageContaining(datapath);
  }

  @Test
  void switchesOfADeadNodeHoldUpTheOthersForTwoSecondsAtMost() {
    long before = time.nanoTime();
    for (int i = 0; i < 100; i++) {
      isAlive = false;
      late("dead" + i);
      isAlive = true;
      assertThat(reads.of("s1")).isEqualTo("rules of s1");
    }
    assertThat(time.nanoTime() - before).isLessThanOrEqualTo(2 * SwitchReads.PATIENCE_NANOS);
  }

  @Test
  void lateSwitchIsReadAnewOnceItAnswers() {
    isAlive = false;
    late("s2");
    isAlive = true;
    late("s2");
    assertThat(unanswered).as("none waits beside the first").hasSize(1);
    unanswered.get(0).run();
    assertThat(reads.of("s2")).isEqualTo("rules of s2");
  }

  @Test
  void faultsArePassedOn() {
    SwitchReads<String> failing =
        new SwitchReads<>(
            time,
            datapath -> {
              throw new IllegalArgumentException(datapath);
            });
    assertThatThrownBy(() -> failing.of("s1")).isInstanceOf(IllegalArgumentException.class);
  }
}
