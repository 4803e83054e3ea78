// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.GroupTable;

/**
 * One select group per switch and set of equally good ports, shared by all destinations behind
 * them. Not thread-safe.
 */
final class EcmpGroups implements RulePlan.GroupFinder {
  /** A switch drops the rules that use a group together with it: they must have moved off first. */
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final String PREFIX = "sluice-ecmp:";

  private final GroupTable groups;
  private final LongSupplier clockNanos;
  private final Map<String, Set<String>> used = new HashMap<>();
  private final Map<String, Map<String, Long>> unusedSince = new HashMap<>();

  EcmpGroups(GroupTable groups, LongSupplier clockNanos) {
    this.groups = groups;
    this.clockNanos = clockNanos;
  }

  @Override
  public Optional<Long> group(String datapath, List<Long> ports) {
    String name = PREFIX + ports;
    Optional<Group> group = groups.group(datapath, name);
    if (used.computeIfAbsent(datapath, d -> new HashSet<>()).add(name) && group.isEmpty()) {
      groups.add(datapath, name, ports);
    }
    return group.filter(Group::isConfirmed).map(Group::id);
  }

  /** Starts a round of planning for a switch. */
  void begin(String datapath) {
    used.put(datapath, new HashSet<>());
  }

  /** Ends the round: groups that no plan has wanted for a while are removed. */
  void end(String datapath) {
    Map<String, Long> since = unusedSince.computeIfAbsent(datapath, d -> new HashMap<>());
    since.keySet().removeAll(used.get(datapath));
    long now = clockNanos.getAsLong();
    for (Group group : groups.groups(datapath)) {
      String name = group.name();
      if (!used.get(datapath).contains(name)) {
        since.putIfAbsent(name, now);
        if (now - since.get(name) >= UNUSED_NANOS) {
          groups.remove(datapath, name);
          since.remove(name);
        }
      }
    }
  }

  /** Takes back all own groups of a switch. */
  void removeAll(String datapath) {
    groups.groups(datapath).forEach(group -> groups.remove(datapath, group.name()));
    used.remove(datapath);
    unusedSince.remove(datapath);
  }
}
