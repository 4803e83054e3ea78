// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Reads how this node reads switches. */
public interface CounterService {

  /**
   * The TCP port on which switches are awaited, {@link CounterReader#NO_PORT} where they need not
   * connect to one; empty while counters are not read fast.
   */
  OptionalInt listenPort();

  /** Every known switch, by name. */
  List<SwitchCounters> switches();

  /** Where each known switch's counters come from, by name. */
  default Map<String, CounterSource> sources() {
    Map<String, CounterSource> sources = new HashMap<>();
    switches().forEach(counters -> sources.put(counters.datapath(), counters.source()));
    return sources;
  }
}
