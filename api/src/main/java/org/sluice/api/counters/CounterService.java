// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import java.util.List;
import java.util.OptionalInt;

/** Reads how this node reads switches. */
public interface CounterService {

  /** The TCP port on which switches are awaited; empty while none are. */
  OptionalInt listenPort();

  /** Every known switch, by name. */
  List<SwitchCounters> switches();
}
