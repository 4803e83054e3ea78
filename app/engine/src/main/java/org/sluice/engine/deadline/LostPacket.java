// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.link.Loss;

/** A packet that a queue had no space for, until its bytes are known to have arrived. */
final class LostPacket {
  final int sequence;
  final int payloadBytes;
  final long kept;
  final long lostNanos;

  /** A copy is in transit; should that be lost, too, it comes back as another loss. */
  boolean isSentAgain;

  LostPacket(Loss loss, long nowNanos) {
    sequence = (int) loss.sequence();
    payloadBytes = loss.payloadBytes();
    kept = loss.kept();
    lostNanos = nowNanos;
  }

  boolean isKept() {
    return kept != Loss.NOT_KEPT;
  }

  /** The sequence after its last byte. */
  int end() {
    return sequence + payloadBytes;
  }

  /** Sequences wrap, but those of one window lie near each other. */
  boolean isBelow(LostPacket other) {
    return sequence - other.sequence < 0;
  }

  /** Whether all of it is below a sequence. */
  boolean endsBy(int edge) {
    return end() - edge <= 0;
  }
}
