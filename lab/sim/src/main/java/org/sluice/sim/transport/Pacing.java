// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.event.Scheduler;

/** Keeps packets apart where the congestion control gives a rate. */
final class Pacing {
  private static final double BITS_NANOS = 8e9;

  private final Scheduler scheduler;
  private final Timer timer;
  private long untilNanos;

  /**
   * @param resume is run when a packet that had to wait may leave
   */
  Pacing(Scheduler scheduler, Runnable resume) {
    this.scheduler = scheduler;
    timer = new Timer(scheduler, resume);
  }

  void reset() {
    untilNanos = 0;
    timer.stop();
  }

  /** A packet leaves; the next one may when its payload's time at that rate is over; 0: at once. */
  void sent(int payloadBytes, double bitsPerSecond) {
    if (bitsPerSecond > 0) {
      untilNanos = scheduler.now() + (long) (payloadBytes * BITS_NANOS / bitsPerSecond);
    }
  }

  /** Whether the next packet has to wait; if so, its time will come. */
  boolean mustWait() {
    long now = scheduler.now();
    if (now >= untilNanos) {
      return false;
    }
    if (!timer.isRunning()) {
      timer.start(untilNanos - now);
    }
    return true;
  }
}
