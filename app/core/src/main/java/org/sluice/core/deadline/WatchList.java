// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.sluice.api.deadline.FlowKey;

/**
 * Which flows' connections switches report: those that are registered, and for a while those that
 * were, since a connection ends after what was registered has arrived.
 */
public final class WatchList {
  static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** More would fill a switch's table; connections of the rest begin and end as hosts say. */
  static final int MOST = 4096;

  private static final long REGISTERED = Long.MAX_VALUE;

  /** By flow, when its registration ended, ns. */
  private final Map<FlowKey, Long> ends = new LinkedHashMap<>();

  /** Those to report now; those registered first come first where there are too many. */
  public Set<FlowKey> follow(Set<FlowKey> registered, long nowNanos) {
    ends.replaceAll(
        (flow, ended) -> ended == REGISTERED && !registered.contains(flow) ? nowNanos : ended);
    ends.values().removeIf(ended -> ended != REGISTERED && nowNanos - ended >= LINGER_NANOS);
    for (FlowKey flow : registered) {
      if (ends.size() >= MOST && !ends.containsKey(flow)) {
        break;
      }
      ends.put(flow, REGISTERED);
    }
    return ends.keySet();
  }

  public void clear() {
    ends.clear();
  }
}
