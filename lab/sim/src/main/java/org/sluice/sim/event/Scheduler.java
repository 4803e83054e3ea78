// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.event;

/**
 * The clock of a simulation and the events to come. Time is in whole nanoseconds; events of one
 * time fire in the order in which they were armed, so that a run depends on nothing but its input.
 * Not thread-safe.
 *
 * <p>A calendar queue (Brown, "Calendar Queues", CACM 31(10), 1988): a ring of slots of 64 ns, each
 * a list in the order of time, and a bit for each that has events. What is to come after a round of
 * the ring waits in its slot for its round. An event that is armed for a later time moves only when
 * it comes up: timers that are pushed back with every packet cost next to nothing.
 */
public final class Scheduler {
  private static final int SLOT_SHIFT = 6;

  /** A round is a quarter of a millisecond: packets' events are within it, and caches hold it. */
  private static final int SLOTS = 1 << 12;

  /** The first event of each slot; before it in its circle is the slot's last. */
  private final Event[] slots = new Event[SLOTS];

  private final long[] occupied = new long[SLOTS / Long.SIZE];
  private int size;

  private final long beginNanos;
  private long nowNanos;
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
    boolean comesUpBefore = event.isArmed() && event.dueNanos <= atNanos;
    event.dueNanos = atNanos;
    if (!comesUpBefore) {
      disarm(event);
      insert(event);
    }
  }

  /** Arms an event for so many nanoseconds from now. */
  public void armIn(Event event, long delayNanos) {
    arm(event, nowNanos + delayNanos);
  }

  /** An event that is not armed stays so. */
  public void disarm(Event event) {
    if (event.isArmed()) {
      remove(event);
    }
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
    Event event = first(endNanos);
    while (event != null && event.dueNanos > event.slotNanos) {
      remove(event);
      insert(event);
      event = first(endNanos);
    }
    if (event == null) {
      nowNanos = Math.max(nowNanos, endNanos);
      return false;
    }
    remove(event);
    nowNanos = event.dueNanos;
    fired++;
    event.fire();
    return true;
  }

  /** What comes up first, if it does by a time; else null. */
  private Event first(long endNanos) {
    if (size == 0) {
      return null;
    }
    long tick = nowNanos >> SLOT_SHIFT;
    long roundEnd = tick + SLOTS;
    while (tick < roundEnd) {
      long bits = occupied[word(tick)] >>> tick;
      if (bits == 0) {
        tick = (tick | Long.SIZE - 1) + 1;
        continue;
      }
      tick += Long.numberOfTrailingZeros(bits);
      Event head = slots[slot(tick)];
      if (head.slotNanos >> SLOT_SHIFT == tick) {
        return head.slotNanos <= endNanos ? head : null;
      }
      tick++;
    }
    return firstAfterThisRound(endNanos);
  }

  private Event firstAfterThisRound(long endNanos) {
    Event first = null;
    for (Event head : slots) {
      if (head != null && (first == null || head.slotNanos < first.slotNanos)) {
        first = head;
      }
    }
    return first.slotNanos <= endNanos ? first : null;
  }

  /** Puts an event behind all others of its time. */
  private void insert(Event event) {
    long time = event.dueNanos;
    long tick = time >> SLOT_SHIFT;
    event.slotNanos = time;
    size++;
    Event head = slots[slot(tick)];
    if (head == null) {
      occupied[word(tick)] |= 1L << tick;
      slots[slot(tick)] = event;
      event.previous = event;
      event.next = event;
      return;
    }
    Event previous = head.previous;
    if (time < head.slotNanos) {
      slots[slot(tick)] = event;
    } else {
      while (previous.slotNanos > time) {
        previous = previous.previous;
      }
    }
    event.previous = previous;
    event.next = previous.next;
    event.next.previous = event;
    previous.next = event;
  }

  private void remove(Event event) {
    long tick = event.slotNanos >> SLOT_SHIFT;
    size--;
    if (event.next == event) {
      occupied[word(tick)] &= ~(1L << tick);
      slots[slot(tick)] = null;
    } else {
      event.previous.next = event.next;
      event.next.previous = event.previous;
      if (slots[slot(tick)] == event) {
        slots[slot(tick)] = event.next;
      }
    }
    event.next = null;
  }

  private static int slot(long tick) {
    return (int) tick & SLOTS - 1;
  }

  private static int word(long tick) {
    return slot(tick) / Long.SIZE;
  }
}
