// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.sluice.core.virtual.EventQueue;

/** Virtual time as one node has it: with a clock on its own wall, and until it dies. */
final class NodeTime implements EventQueue {
  private final VirtualTime time;
  private final BooleanSupplier isAlive;
  private final Consumer<Runnable> runner;
  private long aheadMicros;

  /**
   * The time.
   *
   * @param runner runs each of the node's actions
   */
  NodeTime(VirtualTime time, BooleanSupplier isAlive, Consumer<Runnable> runner) {
    this.time = time;
    this.isAlive = isAlive;
    this.runner = runner;
  }

  /** Its clock on the wall differs from everybody else's. */
  void setAheadMillis(long millis) {
    aheadMicros = TimeUnit.MILLISECONDS.toMicros(millis);
  }

  @Override
  public long nanoTime() {
    return time.nanoTime();
  }

  @Override
  public long wallMicros() {
    return time.wallMicros() + aheadMicros;
  }

  @Override
  public void enqueue(long atNanos, Runnable action) {
    time.enqueue(
        atNanos,
        () -> {
          if (isAlive.getAsBoolean()) {
            runner.accept(action);
          }
        });
  }

  @Override
  public boolean runNext(long untilNanos) {
    return time.runNext(untilNanos);
  }
}
