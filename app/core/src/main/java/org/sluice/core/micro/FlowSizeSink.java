// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.List;

/**
 * Takes what switches have seen flows send, for hosts without an agent that reports it ({@link
 * org.sluice.api.queue.BackgroundFlow.Source#SFLOW}). Thread-safe; does not block.
 */
public interface FlowSizeSink {

  /**
   * Takes flows in their order, as far as there is space.
   *
   * @return how many were left out; what is said of them later makes up for it
   */
  int take(List<SampledFlow> flows);
}
