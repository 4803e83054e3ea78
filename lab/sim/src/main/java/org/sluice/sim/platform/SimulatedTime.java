// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.core.virtual.EventQueue;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;

/** The simulation's clock and events, as a controller's execution sees them. */
final class SimulatedTime implements EventQueue {
  /** The time of day at the start, microseconds since the epoch: any that no clock starts at. */
  private static final long START_WALL_MICROS = 1_700_000_000_000_000L;

  private final Scheduler scheduler;

  SimulatedTime(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public void enqueue(long atNanos, Runnable action) {
    scheduler.arm(Event.running(action), atNanos);
  }

  @Override
  public boolean runNext(long untilNanos) {
    return scheduler.runNext(untilNanos);
  }

  @Override
  public long nanoTime() {
    return scheduler.now();
  }

  @Override
  public long wallMicros() {
    return START_WALL_MICROS + scheduler.now() / 1000;
  }
}
