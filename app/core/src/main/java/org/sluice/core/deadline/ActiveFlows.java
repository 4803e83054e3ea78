// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.deadline.FlowKey;

/** Registrations that have not ended, by number. For the engine's thread. */
final class ActiveFlows {
  private final Map<Long, StoredFlow> flows = new HashMap<>();
  private boolean changed;

  StoredFlow get(long id) {
    return flows.get(id);
  }

  boolean containsKey(long id) {
    return flows.containsKey(id);
  }

  void put(long id, StoredFlow flow) {
    changed = true;
    flows.put(id, flow);
  }

  /** What was there, or null. */
  StoredFlow remove(long id) {
    changed = true;
    return flows.remove(id);
  }

  void clear() {
    changed = true;
    flows.clear();
  }

  boolean isEmpty() {
    return flows.isEmpty();
  }

  Set<Long> keySet() {
    return flows.keySet();
  }

  /** What they are about, if that may have changed since this was asked last. */
  Optional<Set<FlowKey>> takeChange() {
    if (!changed) {
      return Optional.empty();
    }
    changed = false;
    Set<FlowKey> keys = new HashSet<>();
    flows.values().forEach(flow -> keys.add(flow.key()));
    return Optional.of(keys);
  }
}
