// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.GroupId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.group.DefaultGroupBucket;
import org.onosproject.net.group.DefaultGroupDescription;
import org.onosproject.net.group.DefaultGroupKey;
import org.onosproject.net.group.Group;
import org.onosproject.net.group.GroupBucket;
import org.onosproject.net.group.GroupBuckets;
import org.onosproject.net.group.GroupDescription;
import org.onosproject.net.group.GroupKey;
import org.onosproject.net.group.GroupService;

/**
 * One select group per switch and set of equally good ports, shared by all destinations behind
 * them. Not thread-safe.
 */
final class EcmpGroups implements RulePlan.GroupFinder {
  /** A switch drops the rules that use a group together with it: they must have moved off first. */
  private static final long UNUSED_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final String PREFIX = "sluice-ecmp:";

  private final GroupService groups;
  private final ApplicationId application;
  private final LongSupplier clockNanos;
  private final Map<DeviceId, Set<GroupKey>> used = new HashMap<>();
  private final Map<DeviceId, Map<GroupKey, Long>> unusedSince = new HashMap<>();

  EcmpGroups(GroupService groups, ApplicationId application, LongSupplier clockNanos) {
    this.groups = groups;
    this.application = application;
    this.clockNanos = clockNanos;
  }

  @Override
  public Optional<GroupId> group(DeviceId device, List<PortNumber> ports) {
    GroupKey key = new DefaultGroupKey((PREFIX + ports).getBytes(UTF_8));
    Group group = groups.getGroup(device, key);
    if (used.computeIfAbsent(device, d -> new HashSet<>()).add(key) && group == null) {
      groups.addGroup(
          new DefaultGroupDescription(
              device, GroupDescription.Type.SELECT, buckets(ports), key, null, application));
    }
    return group != null && group.state() == Group.GroupState.ADDED
        ? Optional.of(group.id())
        : Optional.empty();
  }

  private static GroupBuckets buckets(List<PortNumber> ports) {
    List<GroupBucket> buckets = new ArrayList<>();
    for (PortNumber port : ports) {
      buckets.add(
          DefaultGroupBucket.createSelectGroupBucket(
              DefaultTrafficTreatment.builder().setOutput(port).build()));
    }
    return new GroupBuckets(buckets);
  }

  /** Starts a round of planning for a switch. */
  void begin(DeviceId device) {
    used.put(device, new HashSet<>());
  }

  /** Ends the round: groups that no plan has wanted for a while are removed. */
  void end(DeviceId device) {
    Map<GroupKey, Long> since = unusedSince.computeIfAbsent(device, d -> new HashMap<>());
    since.keySet().removeAll(used.get(device));
    long now = clockNanos.getAsLong();
    for (Group group : groups.getGroups(device, application)) {
      GroupKey key = group.appCookie();
      if (!used.get(device).contains(key)) {
        since.putIfAbsent(key, now);
        if (now - since.get(key) >= UNUSED_NANOS) {
          groups.removeGroup(device, key, application);
          since.remove(key);
        }
      }
    }
  }

  /** Takes back all own groups of a switch. */
  void removeAll(DeviceId device) {
    for (Group group : groups.getGroups(device, application)) {
      groups.removeGroup(device, group.appCookie(), application);
    }
    used.remove(device);
    unusedSince.remove(device);
  }
}
