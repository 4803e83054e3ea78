// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a rehearsal is played; {@link RehearsedDeadlinesTest} has what. */
@Timeout(60)
class RehearsalTest {

  @Test
  void whoStartsItDoesNotWait() throws Exception {
    CountDownLatch curtain = new CountDownLatch(1);
    AtomicBoolean played = new AtomicBoolean();
    Rehearsal rehearsal =
        new Rehearsal(
            () -> {
              awaitUnlessInterrupted(curtain);
              return () -> {
                played.set(true);
                return false;
              };
            });
    rehearsal.start();
    assertThat(played).isFalse();
    curtain.countDown();
    until(() -> assertThat(played).isTrue());
    rehearsal.stop();
  }

  private static void awaitUnlessInterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void stopsWhenTold() throws Exception {
    AtomicInteger steps = new AtomicInteger();
    Rehearsal rehearsal = new Rehearsal(() -> () -> steps.incrementAndGet() > 0);
    rehearsal.start();
    until(() -> assertThat(steps).hasPositiveValue());
    rehearsal.stop();
    assertThat(rehearsal.isRunning()).isFalse();
  }

  @Test
  void leavesTheMachineToOthersInBetween() throws Exception {
    AtomicInteger steps = new AtomicInteger();
    long begun = System.nanoTime();
    Rehearsal rehearsal =
        new Rehearsal(
            () ->
                () -> {
                  spin(TimeUnit.MILLISECONDS.toNanos(1));
                  return steps.incrementAndGet() < 20;
                });
    rehearsal.start();
    until(() -> assertThat(steps).hasValue(20));
    // Two steps are a burst; of ten bursts nine have a pause behind them.
    assertThat(System.nanoTime() - begun).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(90));
    rehearsal.stop();
  }

  private static void spin(long nanos) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < nanos) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aFaultEndsItAndNothingElse() throws Exception {
    AtomicInteger steps = new AtomicInteger();
    Rehearsal rehearsal =
        new Rehearsal(
            () ->
                () -> {
                  steps.incrementAndGet();
                  throw new IllegalStateException("the scenery has fallen down");
                });
    rehearsal.start();
    until(() -> assertThat(rehearsal.isRunning()).isFalse());
    assertThat(steps).hasValue(1);
  }

  @Test
  void oneThatHasNotBegunCanBeStopped() throws Exception {
    new Rehearsal(() -> () -> true).stop();
  }
}
