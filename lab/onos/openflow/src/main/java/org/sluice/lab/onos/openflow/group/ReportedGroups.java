// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.group;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.onosproject.core.GroupId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.group.DefaultGroup;
import org.onosproject.net.group.DefaultGroupBucket;
import org.onosproject.net.group.Group;
import org.onosproject.net.group.GroupBucket;
import org.onosproject.net.group.GroupBuckets;
import org.onosproject.net.group.GroupDescription;
import org.onosproject.net.group.StoredGroupBucketEntry;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFBucketCounter;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupStatsEntry;
import org.projectfloodlight.openflow.protocol.OFGroupStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.sluice.lab.onos.openflow.translate.Actions;
import org.sluice.lab.onos.openflow.translate.Ids;

/** Reads groups as a switch reports them: what they are, then what they have counted. */
final class ReportedGroups {

  private ReportedGroups() {}

  static Collection<Group> groups(
      DeviceId deviceId, OFGroupDescStatsReply descriptions, OFGroupStatsReply counters) {
    Map<Integer, Group> groups = new HashMap<>();
    for (OFGroupDescStatsEntry entry : descriptions.getEntries()) {
      int number = entry.getGroup().getGroupNumber();
      GroupDescription.Type type = type(entry.getGroupType());
      List<GroupBucket> buckets =
          entry.getBuckets().stream()
              .map(bucket -> bucket(type, bucket))
              .collect(Collectors.toList());
      groups.put(
          number, new DefaultGroup(new GroupId(number), deviceId, type, new GroupBuckets(buckets)));
    }
    for (OFGroupStatsEntry entry : counters.getEntries()) {
      Group group = groups.get(entry.getGroup().getGroupNumber());
      if (group != null) {
        count((DefaultGroup) group, entry);
      }
    }
    return groups.values();
  }

  private static GroupDescription.Type type(OFGroupType type) {
    switch (type) {
      case SELECT:
        return GroupDescription.Type.SELECT;
      case INDIRECT:
        return GroupDescription.Type.INDIRECT;
      case FF:
        return GroupDescription.Type.FAILOVER;
      default:
        return GroupDescription.Type.ALL;
    }
  }

  private static GroupBucket bucket(GroupDescription.Type type, OFBucket bucket) {
    TrafficTreatment.Builder builder = DefaultTrafficTreatment.builder();
    Actions.addTo(builder, bucket.getActions());
    TrafficTreatment treatment = builder.build();
    switch (type) {
      case SELECT:
        return DefaultGroupBucket.createSelectGroupBucket(treatment, (short) bucket.getWeight());
      case INDIRECT:
        return DefaultGroupBucket.createIndirectGroupBucket(treatment);
      case FAILOVER:
        return DefaultGroupBucket.createFailoverGroupBucket(
            treatment,
            Ids.port(bucket.getWatchPort()),
            new GroupId(bucket.getWatchGroup().getGroupNumber()));
      default:
        return DefaultGroupBucket.createAllGroupBucket(treatment);
    }
  }

  private static void count(DefaultGroup group, OFGroupStatsEntry entry) {
    group.setBytes(entry.getByteCount().getValue());
    group.setPackets(entry.getPacketCount().getValue());
    group.setLife(entry.getDurationSec());
    group.setReferenceCount(entry.getRefCount());
    List<GroupBucket> buckets = group.buckets().buckets();
    for (int i = 0; i < Math.min(buckets.size(), entry.getBucketStats().size()); i++) {
      OFBucketCounter counter = entry.getBucketStats().get(i);
      StoredGroupBucketEntry bucket = (StoredGroupBucketEntry) buckets.get(i);
      bucket.setPackets(counter.getPacketCount().getValue());
      bucket.setBytes(counter.getByteCount().getValue());
    }
  }
}
