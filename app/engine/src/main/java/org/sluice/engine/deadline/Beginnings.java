// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.engine.law.DeadlineParameters;

/**
 * Connections that are about to begin, or have just begun, counted at the ports on their paths.
 * Their handshakes are counted by no window, and dozens of them in a few milliseconds do not fit
 * beside a queue of data.
 */
final class Beginnings {
  /** Hosts that are busy, or begin many, are late by so much. */
  private static final long LATE_NANOS = 50_000_000;

  private final GifTable gif;
  private final DeadlinePorts ports;

  Beginnings(GifTable gif, DeadlinePorts ports) {
    this.gif = gif;
    this.ports = ports;
  }

  /** Counts them, early enough for windows to have come down by then. */
  void count(DeadlineParameters parameters, long nowNanos) {
    long soonNanos = nowNanos + 2 * parameters.latencyNanos();
    ports.all().forEach(DeadlinePort::openBeginnings);
    for (int i = 0; i < gif.size(); i++) {
      GifRow row = gif.walk(i);
      if (row.isSending() ? isInHandshake(row, nowNanos) : isSoon(row, soonNanos, nowNanos)) {
        for (DeadlinePort port : row.path) {
          port.addBeginning();
        }
      }
    }
    ports.all().forEach(DeadlinePort::closeBeginnings);
  }

  private static boolean isSoon(GifRow row, long soonNanos, long nowNanos) {
    return row.beginsNanos <= soonNanos && row.beginsNanos >= nowNanos - LATE_NANOS;
  }

  /** The rest of a handshake follows its SYN after a round trip, with full queues at most. */
  private static boolean isInHandshake(GifRow row, long nowNanos) {
    if (row.deliveredBytes > 0) {
      return false;
    }
    double longest = 0;
    for (DeadlinePort port : row.path) {
      longest = Math.max(longest, port.bufferNanos());
    }
    return row.openedNanos >= nowNanos - row.baseRoundTripNanos - Math.round(longest);
  }
}
