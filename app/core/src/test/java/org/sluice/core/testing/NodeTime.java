// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.sluice.core.virtual.EventQueue;

/** Virtual time as one node has it: with a clock on its own wall, and until it dies. */
final class NodeTime implements EventQueue {
  private final VirtualTime time;
  private final BooleanSupplier isAlive;
  private long aheadMicros;

  NodeTime(VirtualTime time, BooleanSupplier isAlive) {
    this.time = time;
    this.isAlive = isAlive;
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
            action.run();
          }
        });
  }

  @Override
  public boolean runNext(long untilNanos) {
    return time.runNext(untilNanos);
  }
}
