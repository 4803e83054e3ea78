// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.group;

import java.util.List;
import java.util.stream.Collectors;
import org.onosproject.net.group.GroupBucket;
import org.onosproject.net.group.GroupDescription;
import org.onosproject.net.group.GroupOperation;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFGroupType;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.sluice.lab.onos.openflow.translate.Actions;
import org.sluice.lab.onos.openflow.translate.Ids;

/** Writes group operations as OpenFlow 1.3 group modifications. */
final class GroupMods {

  private GroupMods() {}

  static OFGroupMod groupMod(OFFactory factory, GroupOperation operation, long xid) {
    OFGroupMod.Builder mod = builder(factory, operation);
    if (operation.opType() != GroupOperation.Type.DELETE) {
      mod.setBuckets(buckets(factory, operation));
    }
    return mod.setXid(xid)
        .setGroup(OFGroup.of(operation.groupId().id()))
        .setGroupType(groupType(operation.groupType()))
        .build();
  }

  private static OFGroupMod.Builder builder(OFFactory factory, GroupOperation operation) {
    switch (operation.opType()) {
      case ADD:
        return factory.buildGroupAdd();
      case MODIFY:
        return factory.buildGroupModify();
      default:
        return factory.buildGroupDelete();
    }
  }

  private static List<OFBucket> buckets(OFFactory factory, GroupOperation operation) {
    return operation.buckets().buckets().stream()
        .map(bucket -> bucket(factory, operation.groupType(), bucket))
        .collect(Collectors.toList());
  }

  private static OFBucket bucket(
      OFFactory factory, GroupDescription.Type type, GroupBucket bucket) {
    boolean failover = type == GroupDescription.Type.FAILOVER;
    boolean watchesPort = failover && bucket.watchPort() != null;
    boolean watchesGroup = failover && bucket.watchGroup() != null;
    OFBucket.Builder built =
        factory
            .buildBucket()
            .setActions(Actions.actions(factory, bucket.treatment().allInstructions()))
            .setWatchPort(watchesPort ? Ids.port(bucket.watchPort()) : OFPort.ANY)
            .setWatchGroup(watchesGroup ? OFGroup.of(bucket.watchGroup().id()) : OFGroup.ANY);
    if (type == GroupDescription.Type.SELECT) {
      built.setWeight(bucket.weight());
    }
    return built.build();
  }

  private static OFGroupType groupType(GroupDescription.Type type) {
    switch (type) {
      case SELECT:
        return OFGroupType.SELECT;
      case INDIRECT:
        return OFGroupType.INDIRECT;
      case FAILOVER:
        return OFGroupType.FF;
      case ALL:
        return OFGroupType.ALL;
      default:
        throw new IllegalArgumentException(type + ": OpenFlow 1.3 has no such group type");
    }
  }
}
