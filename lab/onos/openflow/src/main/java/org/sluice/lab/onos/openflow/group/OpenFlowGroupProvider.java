// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.group;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.onosproject.net.DeviceId;
import org.onosproject.net.group.Group;
import org.onosproject.net.group.GroupOperation;
import org.onosproject.net.group.GroupOperations;
import org.onosproject.net.group.GroupProvider;
import org.onosproject.net.group.GroupProviderRegistry;
import org.onosproject.net.group.GroupProviderService;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFGroupDescStatsReply;
import org.projectfloodlight.openflow.protocol.OFGroupStatsReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.errormsg.OFGroupModFailedErrorMsg;
import org.projectfloodlight.openflow.types.OFGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.poll.PollingProvider;
import org.sluice.lab.onos.openflow.translate.Ids;
import org.sluice.lab.onos.openflow.translate.Unsupported;

/** Groups over OpenFlow: writes what ONOS requests and reports all groups at every poll. */
@Component(immediate = true, property = OpenFlowGroupProvider.POLL_INTERVAL + ":Integer=10")
public class OpenFlowGroupProvider extends PollingProvider<GroupProviderService>
    implements GroupProvider {

  static final String POLL_INTERVAL = "groupPollInterval";
  private static final int DEFAULT_PERIOD_SECONDS = 10;
  private static final long ERROR_WAIT_SECONDS = 30;
  private static final Logger LOG = LoggerFactory.getLogger(OpenFlowGroupProvider.class);

  @Reference protected GroupProviderRegistry providerRegistry;

  private final AtomicLong xids = new AtomicLong(1);
  private final Cache<Long, GroupOperation> sent =
      CacheBuilder.newBuilder().expireAfterWrite(ERROR_WAIT_SECONDS, TimeUnit.SECONDS).build();
  private final GroupReplies replies = new GroupReplies();

  /** Creates the provider under the stock one's name. */
  public OpenFlowGroupProvider() {
    super("org.onosproject.provider.group", "lab-of-groups", POLL_INTERVAL, DEFAULT_PERIOD_SECONDS);
  }

  @Override
  protected GroupProviderService register() {
    return providerRegistry.register(this);
  }

  @Override
  protected void unregister() {
    providerRegistry.unregister(this);
  }

  @Override
  protected void poll(OpenFlowSwitch polled) {
    long countersXid = xids.getAndIncrement();
    long descriptionsXid = xids.getAndIncrement();
    replies.begin(polled.getDpid(), countersXid, descriptionsXid);
    OFFactory factory = polled.factory();
    polled.sendMsg(
        factory.buildGroupStatsRequest().setXid(countersXid).setGroup(OFGroup.ALL).build());
    polled.sendMsg(factory.buildGroupDescStatsRequest().setXid(descriptionsXid).build());
  }

  @Override
  public void performGroupOperation(DeviceId deviceId, GroupOperations operations) {
    OpenFlowSwitch target = controller.getSwitch(Ids.dpid(deviceId));
    if (target == null) {
      LOG.warn("Groups for {}: not connected", deviceId);
      return;
    }
    for (GroupOperation operation : operations.operations()) {
      long xid = xids.getAndIncrement();
      try {
        sent.put(xid, operation);
        target.sendMsg(GroupMods.groupMod(target.factory(), operation, xid));
      } catch (Unsupported | IllegalArgumentException e) {
        LOG.warn("Group {} cannot be written: {}", operation.groupId(), e.getMessage());
        fail(deviceId, operation, GroupOperation.GroupMsgErrorCode.INVALID_GROUP);
      }
    }
  }

  @Override
  public void handleMessage(Dpid dpid, OFMessage message) {
    if (message instanceof OFGroupStatsReply) {
      report(dpid, replies.take(dpid, (OFGroupStatsReply) message));
    } else if (message instanceof OFGroupDescStatsReply) {
      report(dpid, replies.take(dpid, (OFGroupDescStatsReply) message));
    } else if (message instanceof OFGroupModFailedErrorMsg) {
      refused(dpid, (OFGroupModFailedErrorMsg) message);
    }
  }

  private void report(Dpid dpid, Collection<Group> groups) {
    if (groups != null) {
      providerService().pushGroupMetrics(Ids.device(dpid), groups);
    }
  }

  private void refused(Dpid dpid, OFGroupModFailedErrorMsg error) {
    GroupOperation operation = sent.getIfPresent(error.getXid());
    if (operation != null) {
      sent.invalidate(error.getXid());
      LOG.warn("Switch {} refused {}: {}", dpid, operation, error.getCode());
      // ONOS lists the codes in the order of the specification.
      fail(
          Ids.device(dpid),
          operation,
          GroupOperation.GroupMsgErrorCode.values()[error.getCode().ordinal()]);
    }
  }

  private void fail(
      DeviceId deviceId, GroupOperation operation, GroupOperation.GroupMsgErrorCode code) {
    providerService()
        .groupOperationFailed(deviceId, GroupOperation.createFailedGroupOperation(operation, code));
  }
}
