// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.event;

import java.util.Arrays;

/**
 * The clock of a simulation and the events to come. Time is in whole nanoseconds; events of one
 * time fire in the order in which they were armed, so that a run depends on nothing but its input.
 * Not thread-safe.
 *
 * <p>A four-ary heap in flat arrays. Disarming leaves the entry in the heap, and arming for a later
 * time moves it only when it comes up: timers that are pushed back with every packet cost next to
 * nothing.
 */
public final class Scheduler {
  private static final int ARITY = 4;

  private long[] times = new long[256];
  private long[] entries = new long[256];
  private Event[] events = new Event[256];
  private int size;

  private final long beginNanos;
  private long nowNanos;
  private long nextEntry;
  private long fired;

  /** One that begins at time 0. */
  public Scheduler() {
    this(0);
  }

  /**
   * One that begins at another time.
   *
   * @param beginNanos below 0 for what is to have happened before time 0
   */
  public Scheduler(long beginNanos) {
    this.beginNanos = beginNanos;
    this.nowNanos = beginNanos;
  }

  /** When the simulation begins, ns. */
  public long beginNanos() {
    return beginNanos;
  }

  /** The time, ns. */
  public long now() {
    return nowNanos;
  }

  /** How many events have fired. */
  public long fired() {
    return fired;
  }

  /**
   * Arms an event, or moves one that is armed.
   *
   * @param atNanos not before {@link #now}
   * @throws IllegalArgumentException if the time has passed
   */
  public void arm(Event event, long atNanos) {
    if (atNanos < nowNanos) {
      throw new IllegalArgumentException(
          "an event cannot be armed for " + atNanos + " ns: it is " + nowNanos + " ns already");
    }
    boolean entryComesFirst = event.entry != Event.DISARMED && event.dueNanos <= atNanos;
    event.dueNanos = atNanos;
    if (!entryComesFirst) {
      push(event, atNanos);
    }
  }

  /** Arms an event for so many nanoseconds from now. */
  public void armIn(Event event, long delayNanos) {
    arm(event, nowNanos + delayNanos);
  }

  /** An event that is not armed stays so. */
  public void disarm(Event event) {
    event.entry = Event.DISARMED;
  }

  /** Fires all events up to and including a time, and moves the clock there. */
  public void runUntil(long endNanos) {
    boolean more = true;
    while (more) {
      more = runNext(endNanos);
    }
  }

  /**
   * Fires the next event, which may be done while another fires. If none is due by a time, it moves
   * the clock there.
   *
   * @return whether there was one
   */
  public boolean runNext(long endNanos) {
    while (size > 0 && times[0] <= endNanos) {
      long time = times[0];
      long entry = entries[0];
      Event event = events[0];
      removeFirst();
      if (event.entry != entry) {
        continue;
      }
      if (event.dueNanos > time) {
        push(event, event.dueNanos);
        continue;
      }
      nowNanos = time;
      event.entry = Event.DISARMED;
      fired++;
      event.fire();
      return true;
    }
    nowNanos = Math.max(nowNanos, endNanos);
    return false;
  }

  private void push(Event event, long time) {
    long entry = nextEntry++;
    event.entry = entry;
    if (size == times.length) {
      grow();
    }
    int hole = size++;
    while (hole > 0) {
      int parent = (hole - 1) / ARITY;
      // A new entry is the youngest: it goes behind all others of its time.
      if (times[parent] <= time) {
        break;
      }
      move(parent, hole);
      hole = parent;
    }
    set(hole, time, entry, event);
  }

  private void removeFirst() {
    int last = --size;
    long time = times[last];
    long entry = entries[last];
    Event event = events[last];
    events[last] = null;
    if (last == 0) {
      return;
    }
    int hole = 0;
    while (true) {
      int first = hole * ARITY + 1;
      if (first >= last) {
        break;
      }
      int least = leastChild(first, Math.min(first + ARITY, last));
      if (!before(times[least], entries[least], time, entry)) {
        break;
      }
      move(least, hole);
      hole = least;
    }
    set(hole, time, entry, event);
  }

  private int leastChild(int first, int end) {
    int least = first;
    for (int child = first + 1; child < end; child++) {
      if (before(times[child], entries[child], times[least], entries[least])) {
        least = child;
      }
    }
    return least;
  }

  private static boolean before(long timeA, long entryA, long timeB, long entryB) {
    return timeA < timeB || timeA == timeB && entryA < entryB;
  }

  private void move(int from, int to) {
    times[to] = times[from];
    entries[to] = entries[from];
    events[to] = events[from];
  }

  private void set(int at, long time, long entry, Event event) {
    times[at] = time;
    entries[at] = entry;
    events[at] = event;
  }

  private void grow() {
    int capacity = times.length * 2;
    times = Arrays.copyOf(times, capacity);
    entries = Arrays.copyOf(entries, capacity);
    events = Arrays.copyOf(events, capacity);
  }
}
