// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;

/**
 * A timer that is started and stopped with every other packet. Stopping leaves its event armed, so
 * that starting again only moves it, which costs next to nothing.
 */
final class Timer extends Event {
  private final Scheduler scheduler;
  private final Runnable action;
  private boolean running;

  Timer(Scheduler scheduler, Runnable action) {
    this.scheduler = scheduler;
    this.action = action;
  }

  /** Runs out after a time; if it runs already, after that time from now instead. */
  void start(long delayNanos) {
    running = true;
    scheduler.arm(this, scheduler.now() + delayNanos);
  }

  void stop() {
    running = false;
  }

  boolean isRunning() {
    return running;
  }

  @Override
  protected void fire() {
    if (running) {
      running = false;
      action.run();
    }
  }
}
