// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * A flow as SED's window allocation sees it: a row of the GIF table (figure 5), and what a round of
 * allocation makes of it.
 */
public abstract class SedFlow {
  private static final long NEVER_SET = Long.MIN_VALUE;

  // Of the present round of allocation.

  /** Whether it takes part. */
  boolean governed;

  /** How long a window of it is in transit with full queues, ns. */
  double fullRoundTripNanos;

  /** What it is due, bytes. */
  long allocatedBytes;

  /** What it can use, bytes. */
  double usefulBytes;

  /** What its window in force holds, bytes. */
  double heldBytes;

  /** What it may have in transit, with what windows before that one let go, bytes. */
  double inTransitBytes;

  /** By when it is to be through if others can wait, ns. */
  private long aimNanos = NEVER_SET;

  /** The ports on its path. */
  protected abstract SedPort[] path();

  protected abstract boolean hasDeadline();

  /** The deadline, ns; of one that has none, the end of time. */
  protected abstract long deadlineNanos();

  /** Whether it has not begun, and may at any time. */
  protected abstract boolean isAwaited();

  /** Whether windows are divided among it and others: it sends, and may. */
  protected abstract boolean takesPart();

  /** Whether it is due a base window whatever else is in transit. */
  protected abstract boolean hasBase();

  /** RSize: what has not arrived yet, bytes. */
  protected abstract long remainingBytes();

  /** RSize as of when a decision of now takes effect, bytes; below 0 if more can have been sent. */
  protected abstract double expectedRemainingBytes(
      long nowNanos, long latencyNanos, double roundTripNanos);

  /** The least round trip, which has no queue in it, ns. */
  protected abstract long baseRoundTripNanos();

  /** The latest round trip, ns. */
  protected abstract long roundTripNanos();

  /** Whether its host has been sent a window. */
  protected abstract boolean isPublished();

  /** The window in force, bytes. */
  protected abstract long windowBytes();

  /** The widest of the windows that have been in force since a time, bytes. */
  protected abstract long widestWindowBytes(long sinceNanos);

  /** Another window is in force from now on. */
  protected abstract void setWindow(long bytes, long nowNanos);

  /** Reads of its round what a round reads: to fetch it from memory. */
  protected final long touchRound() {
    return (long) usefulBytes + (governed ? 1 : 0);
  }

  /** The deadline has changed. */
  protected final void forgetAim() {
    aimNanos = NEVER_SET;
  }

  /**
   * So much of its time is left to it if others can wait: up to {@link EdfWindows#HASTE} of what it
   * had when it began to send, and if that was not enough of what it had then. A part of what is
   * left at each moment would not do: it shrinks with every evaluation, and the last bytes come at
   * the deadline whatever the part is.
   *
   * @return ns, above 0 before the deadline
   */
  final long hasteNanos(long nowNanos) {
    if (nowNanos >= aimNanos) {
      aimNanos = nowNanos + (long) Math.ceil(EdfWindows.HASTE * (deadlineNanos() - nowNanos));
    }
    return aimNanos - nowNanos;
  }
}
