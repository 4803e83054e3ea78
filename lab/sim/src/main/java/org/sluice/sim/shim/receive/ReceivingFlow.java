// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.receive;

/** A connection by which an endpoint receives. */
final class ReceivingFlow {
  static final long NEVER = -2;

  /** Up to here its sender may send. */
  long edge;

  /** Whether it has been given its first window. */
  boolean isOffered;

  /** Segments of it that have come since it began, or paused; no more are counted than matter. */
  int segments;

  /** The epoch in which it was counted last. */
  long countedEpoch = NEVER;

  /** The epoch in which one of its packets was marked last. */
  long markedEpoch = NEVER;

  /** When its SYN was answered, ns; 0: not yet, or twice. */
  long answeredNanos;

  boolean isAnswered;

  /** 0: not known. */
  long roundTripNanos;

  /** The acknowledgement of all that it brings. */
  long endsAt = Long.MAX_VALUE;
}
