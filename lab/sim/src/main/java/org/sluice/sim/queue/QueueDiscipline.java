// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import org.sluice.sim.packet.Packet;

/**
 * What waits in front of a wire, and in which order. The packet on the wire no longer counts. Marks
 * and drops are decided on arrival, unless a discipline documents otherwise.
 */
public interface QueueDiscipline {
  /** Returned by {@link #readyNanos}: not before another packet or rate comes. */
  long NEVER = Long.MAX_VALUE;

  /** Takes a packet in, perhaps marking it. False: refused; it stays the caller's. */
  boolean enqueue(Packet packet, long nowNanos);

  /** The next packet, or null where none may leave now. */
  Packet dequeue(long nowNanos);

  /**
   * When {@link #dequeue} may next give a packet, called after it gave none: a time after now, or
   * {@link #NEVER}.
   */
  default long readyNanos(long nowNanos) {
    return NEVER;
  }

  /** Packets waiting. */
  int packets();

  /** Packets that there is space for; 0 if it is not known. */
  default int limitPackets() {
    return 0;
  }

  /** IP bytes waiting. */
  long bytes();

  /** How many packets it has marked. */
  long marked();

  /** How many packets have found more than the marking threshold, marked or not. */
  default long overThreshold() {
    return marked();
  }

  /** How many packets it has refused. */
  long dropped();
}
