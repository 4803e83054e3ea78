// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointTraffic;

/**
 * Who was held back at the last evaluations. Rates vary from report to report: whoever used up a
 * limit an evaluation ago, and sends still, does not stop being held back because one report came
 * late.
 */
final class HeldBackHistory {
  private Set<EndpointId> before = Set.of();

  /** What was seen now; held back are those too that were when this was called last. */
  Map<EndpointId, EndpointTraffic> steady(Map<EndpointId, EndpointTraffic> seen) {
    Map<EndpointId, EndpointTraffic> result = new HashMap<>(seen);
    for (EndpointId endpoint : before) {
      result.computeIfPresent(endpoint, (id, traffic) -> held(traffic));
    }
    before =
        seen.entrySet().stream()
            .filter(entry -> entry.getValue().heldBack())
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet());
    return result;
  }

  private static EndpointTraffic held(EndpointTraffic traffic) {
    return EndpointTraffic.of(
        traffic.deliveredBitsPerSecond(), traffic.backlogBytes(), traffic.droppedPackets(), true);
  }
}
