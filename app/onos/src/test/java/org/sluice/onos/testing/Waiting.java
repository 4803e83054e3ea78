// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.concurrent.TimeUnit;

/** Waits for what happens on other threads: looks often, gives up late. */
public final class Waiting {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private Waiting() {}

  /** Returns once the assertion holds; throws what it throws last otherwise. */
  public static void until(Runnable assertion) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (true) {
      try {
        assertion.run();
        return;
      } catch (AssertionError e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
      pause();
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
