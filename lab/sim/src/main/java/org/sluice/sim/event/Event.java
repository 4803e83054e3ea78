// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.event;

/**
 * Something that happens at a time. An event is armed for one time at most; it is made once and
 * armed again and again, so that a running simulation makes no objects.
 */
public abstract class Event {
  /** Its neighbours in a slot of the scheduler; {@link #next} is null while it is not armed. */
  Event previous;

  Event next;

  /** When it comes up. */
  long slotNanos;

  /** When it is to fire; may be later than it comes up. */
  long dueNanos;

  /** An event that runs an action; for what happens seldom, as each of these is an object. */
  public static Event running(Runnable action) {
    return new Event() {
      @Override
      protected void fire() {
        action.run();
      }
    };
  }

  /** What happens. Called by the scheduler, disarmed, at {@link Scheduler#now}. */
  protected abstract void fire();

  /** Whether it will fire. */
  public final boolean isArmed() {
    return next != null;
  }

  /** When it will fire, ns; only of an armed event. */
  public final long dueNanos() {
    return dueNanos;
  }
}
