// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.virtual;

import org.sluice.core.runtime.Clock;

/** What is due, and the time, which passes only from one of it to the next. One thread only. */
public interface EventQueue extends Clock {

  /**
   * Has something done at a time, after all that was enqueued for that time before.
   *
   * @param atNanos not before {@link #nanoTime}
   */
  void enqueue(long atNanos, Runnable action);

  /**
   * Does what is due next, unless it is later than a time.
   *
   * @return false if nothing is due by then; the time is then not before it
   */
  boolean runNext(long untilNanos);
}
