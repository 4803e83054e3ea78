// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.counters;

import org.sluice.api.counters.CounterListener;

/** Where samples can be had. */
public interface CounterFeed {

  /** Gives a listener every sample from now on, on the reader's threads. */
  void addListener(CounterListener listener);

  void removeListener(CounterListener listener);
}
