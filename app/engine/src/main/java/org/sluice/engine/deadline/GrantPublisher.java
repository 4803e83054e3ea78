// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import java.util.HashMap;
import java.util.Map;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.WindowGrant;
import org.sluice.engine.law.WindowAllocation;

/** Sends hosts the windows of their flows: what is new, and nothing twice. */
final class GrantPublisher {
  private final GrantSink sink;

  /** Whose connection has begun, and has no window of its own yet: its host has the pattern's. */
  private final Map<FlowKey, GifRow> fulfilled = new HashMap<>();

  GrantPublisher(GrantSink sink) {
    this.sink = sink;
  }

  /** Publishes the window that a flow has while it takes part in no round. */
  void publish(GifRow row, WindowAllocation allocation, long nowNanos) {
    long window = windowBytes(row, allocation);
    if (!row.isSending()) {
      row.setWindow(Math.max(0, window), nowNanos); // What it may begin with at any time.
    }
    publish(row, window);
  }

  /** Publishes the window that is in force for a flow, which takes part in a round. */
  void publishInForce(GifRow row) {
    publish(row, row.windowBytes());
  }

  /** A flow has no window any longer. */
  void release(GifRow row) {
    publish(row, WindowGrant.RELEASED);
  }

  /** A flow's connection has begun, and has its pattern's window until it gets its own. */
  void fulfil(GifRow row) {
    fulfilled.put(row.key, row);
  }

  /**
   * Nothing has a pattern's window any longer: another registration will use its name, or another
   * row go on in the place of the one that had it.
   */
  void endPattern(FlowKey pattern) {
    if (fulfilled.remove(pattern) != null) {
      sink.grant(WindowGrant.of(pattern, WindowGrant.RELEASED));
    }
  }

  private static long windowBytes(GifRow row, WindowAllocation allocation) {
    if (row.closed) {
      return 0;
    }
    if (row.crossesCongestion() && !row.shared) {
      return row.isSending() ? row.windowBytes() : allocation.firstBytesWhileCongested();
    }
    return row.isSending() ? allocation.uncongestedBytes(row) : allocation.firstBytes(row);
  }

  private void publish(GifRow row, long windowBytes) {
    if (windowBytes == row.publishedBytes) {
      return;
    }
    // Of a connection its host gets something in any case: the SYN-ACK may wait for it.
    boolean silent = row.publishedBytes == GifRow.UNPUBLISHED && !row.isSending();
    if (!silent || windowBytes != WindowGrant.RELEASED) {
      row.publishedBytes = windowBytes;
      sink.grant(WindowGrant.of(row.name(), windowBytes));
    }
    // Not before: until it has a window of its own, its connection has the pattern's.
    if (fulfilled.remove(row.key, row)) {
      sink.grant(WindowGrant.of(row.key, WindowGrant.RELEASED));
    }
  }
}
