// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.List;

/** Takes what the collector finds out, on the collector's thread; it must not wait. */
public interface SflowListener {
  /**
   * Large flows of which packets were sampled, or which ended, since the last call.
   *
   * @param flows at least one; a flow may be there twice if it ended and began again
   */
  void flowsSampled(List<FlowEstimate> flows);

  /** A switch has sent the counters of one of its interfaces. */
  default void interfaceRead(InterfaceCounters counters) {}
}
