// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.group.DefaultGroupBucket;
import org.onosproject.net.group.DefaultGroupDescription;
import org.onosproject.net.group.DefaultGroupKey;
import org.onosproject.net.group.GroupBucket;
import org.onosproject.net.group.GroupBuckets;
import org.onosproject.net.group.GroupDescription;
import org.onosproject.net.group.GroupKey;
import org.onosproject.net.group.GroupService;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.spi.Group;
import org.sluice.forwarding.spi.GroupTable;

/** Select groups by ONOS's group service; a group's key there is its name. */
final class OnosGroups implements GroupTable {
  private final GroupService groups;
  private final ApplicationId application;
  private final Epoch epoch = new Epoch();

  OnosGroups(GroupService groups, ApplicationId application) {
    this.groups = groups;
    this.application = application;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<Group> groups(String datapath) {
    List<Group> own = new ArrayList<>();
    groups.getGroups(DeviceId.deviceId(datapath), application).forEach(g -> own.add(group(g)));
    return own;
  }

  @Override
  public Optional<Group> group(String datapath, String name) {
    return Optional.ofNullable(groups.getGroup(DeviceId.deviceId(datapath), key(name)))
        .map(OnosGroups::group);
  }

  private static Group group(org.onosproject.net.group.Group group) {
    return Group.of(
        new String(group.appCookie().key(), UTF_8),
        group.id().id(),
        group.state() == org.onosproject.net.group.Group.GroupState.ADDED);
  }

  private static GroupKey key(String name) {
    return new DefaultGroupKey(name.getBytes(UTF_8));
  }

  @Override
  public void add(String datapath, String name, List<Long> ports) {
    List<GroupBucket> buckets = new ArrayList<>();
    for (long port : ports) {
      buckets.add(
          DefaultGroupBucket.createSelectGroupBucket(
              DefaultTrafficTreatment.builder().setOutput(PortNumber.portNumber(port)).build()));
    }
    groups.addGroup(
        new DefaultGroupDescription(
            DeviceId.deviceId(datapath),
            GroupDescription.Type.SELECT,
            new GroupBuckets(buckets),
            key(name),
            null,
            application));
  }

  @Override
  public void remove(String datapath, String name) {
    groups.removeGroup(DeviceId.deviceId(datapath), key(name), application);
  }
}
