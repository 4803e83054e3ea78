// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.link.WindowGrant;

/** Tells hosts of their flows' windows: what is new, and nothing twice. */
final class WindowTeller {
  private final GrantSink sink;

  WindowTeller(GrantSink sink) {
    this.sink = sink;
  }

  /** Tells of the window that a flow has now. */
  void tell(GifRow row, DeadlineParameters parameters) {
    tell(row, windowBytes(row, parameters));
  }

  /** Tells of the window that is in force for a flow, which takes part in a round. */
  void tellInForce(GifRow row) {
    tell(row, row.windowBytes());
  }

  /** Tells that a flow has no window any longer. */
  void release(GifRow row) {
    tell(row, WindowGrant.RELEASED);
  }

  private static long windowBytes(GifRow row, DeadlineParameters parameters) {
    if (row.closed) {
      return 0;
    }
    if (row.crossesCongestion()) {
      // One that has not begun is to begin with a single segment.
      return row.isSending() ? row.windowBytes() : parameters.segmentBytes();
    }
    return row.isSending() ? OpenWindow.bytes(row, parameters) : FirstWindow.bytes(row, parameters);
  }

  private void tell(GifRow row, long windowBytes) {
    if (windowBytes == row.toldBytes) {
      return;
    }
    // Of a connection its host is told something in any case: the SYN-ACK may wait for it.
    boolean silent = row.toldBytes == GifRow.UNTOLD && !row.isSending();
    if (!silent || windowBytes != WindowGrant.RELEASED) {
      row.toldBytes = windowBytes;
      sink.grant(WindowGrant.of(row.name(), windowBytes));
    }
  }
}
