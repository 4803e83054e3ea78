// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import org.sluice.api.deadline.FlowKey;

/**
 * Takes what switches have seen flows send, for hosts without an agent that reports it ({@link
 * org.sluice.api.queue.BackgroundFlow.Source#SFLOW}). Thread-safe; does not block.
 */
public interface FlowSizeSink {

  /**
   * A flow sends.
   *
   * @param flow exact, as its source sends it
   * @param sentBytes IP bytes since it began, as scaled up from samples
   */
  void seen(FlowKey flow, long sentBytes);

  /** A flow has ended; one that only pauses is forgotten after a second without this. */
  void ended(FlowKey flow);
}
