// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * SED's part on the sender's host, for one connection: the receive window in the acknowledgements
 * that come in is lowered to the controller's grant. The right edge that the sender has seen never
 * moves left (RFC 9293, section 3.8.6.2.1: a receiver should not shrink the window), so a window
 * comes down as data are acknowledged; and a window of 0 opens for one segment once in a while.
 */
public final class SedWindow {
  /** No grant is in force. */
  public static final long NO_GRANT = -1;

  /**
   * A window stays closed no longer than this, ns: then one segment may go, and it closes again.
   */
  private static final long LONGEST_CLOSED_NANOS = 1_000_000_000L;

  private final int segmentBytes;
  private long grantBytes = NO_GRANT;
  private long closedSinceNanos;
  private long rightEdge;
  private long acknowledged;
  private long offeredBytes = Long.MAX_VALUE;

  public SedWindow(int segmentBytes) {
    this.segmentBytes = segmentBytes;
  }

  /**
   * Sets the grant, which counts in whole segments: a part of one counts as one.
   *
   * @param bytes or {@link #NO_GRANT}
   */
  public void grant(long bytes, long nowNanos) {
    if (bytes == 0 && grantBytes != 0) {
      closedSinceNanos = nowNanos;
    }
    grantBytes =
        bytes == NO_GRANT ? NO_GRANT : (bytes + segmentBytes - 1) / segmentBytes * segmentBytes;
  }

  /**
   * Takes in an acknowledgement.
   *
   * @param offered the receiver's own window
   * @return the window that the sender is to see
   */
  public long acknowledge(long acknowledgement, long offered, long nowNanos) {
    acknowledged = Math.max(acknowledged, acknowledgement);
    if (acknowledgement >= acknowledged) {
      offeredBytes = offered;
    }
    long window = Math.min(offered, allowed(acknowledgement, nowNanos));
    reach(acknowledgement + window, nowNanos);
    return window;
  }

  /** The sender has received an edge; what a closed window lets go lets it wait anew. */
  private void reach(long edge, long nowNanos) {
    if (edge > rightEdge) {
      rightEdge = edge;
      closedSinceNanos = grantBytes == 0 ? nowNanos : closedSinceNanos;
    }
  }

  private long allowed(long acknowledgement, long nowNanos) {
    if (grantBytes == NO_GRANT) {
      return Long.MAX_VALUE;
    }
    long granted = grantBytes;
    if (granted == 0 && nowNanos - closedSinceNanos >= LONGEST_CLOSED_NANOS) {
      granted = segmentBytes;
    }
    return Math.max(granted, rightEdge - acknowledgement);
  }

  private long windowNow(long nowNanos) {
    return Math.min(offeredBytes, allowed(acknowledged, nowNanos));
  }

  /** Whether the window reaches further than the sender has seen: it needs an update, or waits. */
  public boolean needsUpdate(long nowNanos) {
    return rightEdge < acknowledged + windowNow(nowNanos);
  }

  /** The window of an update that is sent now. */
  public long update(long nowNanos) {
    long window = windowNow(nowNanos);
    reach(acknowledged + window, nowNanos);
    return window;
  }

  /** The window as the sender has seen it last. */
  public long seenBytes() {
    return rightEdge - acknowledged;
  }

  /** When a closed window has to open a little, ns; {@link Long#MAX_VALUE} if it is not closed. */
  public long opensAtNanos() {
    return grantBytes == 0 ? closedSinceNanos + LONGEST_CLOSED_NANOS : Long.MAX_VALUE;
  }

  /** All below this has been acknowledged. */
  public long acknowledgedBytes() {
    return acknowledged;
  }
}
