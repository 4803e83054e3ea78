// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.Map;
import org.sluice.api.counters.CounterListener;

/** Where samples can be had. */
public interface CounterFeed {

  /** Gives a listener every sample from now on, on the reader's threads. */
  void addListener(CounterListener listener);

  void removeListener(CounterListener listener);

  /**
   * The meters that count marked packets, by switch: a meter's number to the port by which those
   * packets enter. Of the switches that this node reads.
   */
  Map<String, Map<Long, Long>> markMeters();
}
