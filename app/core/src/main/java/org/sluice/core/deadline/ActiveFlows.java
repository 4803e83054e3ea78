// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;

/** Registrations that have not ended, by number. For the engine's thread. */
final class ActiveFlows {
  private final Map<Long, StoredFlow> flows = new HashMap<>();

  /** Whose sources' hosts these were when they came; without those that nobody reported. */
  private final Map<Long, HostId> hosts = new HashMap<>();

  private final Map<TenantId, Integer> ofTenants = new HashMap<>();
  private final Map<HostId, Integer> ofHosts = new HashMap<>();
  private final Function<IpAddress, Optional<HostId>> hostOf;
  private boolean changed;

  /** Grows with every change; read by any thread. */
  private final AtomicLong version = new AtomicLong();

  /**
   * None yet.
   *
   * @param hostOf the host of an address
   */
  ActiveFlows(Function<IpAddress, Optional<HostId>> hostOf) {
    this.hostOf = hostOf;
  }

  long version() {
    return version.get();
  }

  /** How many a tenant has. */
  int count(TenantId tenant) {
    return ofTenants.getOrDefault(tenant, 0);
  }

  /** How many sources on a host have. */
  int count(HostId host) {
    return ofHosts.getOrDefault(host, 0);
  }

  StoredFlow get(long id) {
    return flows.get(id);
  }

  boolean containsKey(long id) {
    return flows.containsKey(id);
  }

  void put(long id, StoredFlow flow) {
    changed();
    StoredFlow before = flows.put(id, flow);
    if (before == null) {
      hostOf.apply(flow.key().source()).ifPresent(host -> hosts.put(id, host));
    } else {
      count(id, before, -1);
    }
    count(id, flow, 1);
  }

  /** What was there, or null. */
  StoredFlow remove(long id) {
    changed();
    StoredFlow before = flows.remove(id);
    if (before != null) {
      count(id, before, -1);
      hosts.remove(id);
    }
    return before;
  }

  void clear() {
    changed();
    flows.clear();
    hosts.clear();
    ofTenants.clear();
    ofHosts.clear();
  }

  private void changed() {
    changed = true;
    version.incrementAndGet();
  }

  private void count(long id, StoredFlow flow, int change) {
    ofTenants.merge(flow.tenant(), change, ActiveFlows::sum);
    HostId host = hosts.get(id);
    if (host != null) {
      ofHosts.merge(host, change, ActiveFlows::sum);
    }
  }

  /** None is kept for those that have none. */
  private static Integer sum(int before, int change) {
    return before + change == 0 ? null : before + change;
  }

  boolean isEmpty() {
    return flows.isEmpty();
  }

  Set<Long> keySet() {
    return flows.keySet();
  }

  /** What they are about, if that may have changed since this was queried last. */
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
