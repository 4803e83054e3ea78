// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.DefaultTableStatisticsEntry;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.flow.FlowRuleProvider;
import org.onosproject.net.flow.FlowRuleProviderRegistry;
import org.onosproject.net.flow.FlowRuleProviderService;
import org.onosproject.net.flow.IndexTableId;
import org.onosproject.net.flow.TableStatisticsEntry;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchEntry.FlowRuleOperation;
import org.onosproject.net.flow.oldbatch.FlowRuleBatchOperation;
import org.onosproject.openflow.controller.Dpid;
import org.onosproject.openflow.controller.OpenFlowSwitch;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowStatsReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFTableStatsReply;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.lab.onos.openflow.poll.PollingProvider;
import org.sluice.lab.onos.openflow.translate.Ids;
import org.sluice.lab.onos.openflow.translate.Unsupported;

/**
 * Flow rules over OpenFlow: writes what ONOS requests and reports the whole table at every poll, so
 * that ONOS settles pending rules, puts back lost ones and removes those it does not have.
 */
@Component(immediate = true, property = OpenFlowRuleProvider.POLL_FREQUENCY + ":Integer=5")
public class OpenFlowRuleProvider extends PollingProvider<FlowRuleProviderService>
    implements FlowRuleProvider {

  static final String POLL_FREQUENCY = "flowPollFrequency";
  private static final int DEFAULT_PERIOD_SECONDS = 5;
  private static final Logger LOG = LoggerFactory.getLogger(OpenFlowRuleProvider.class);

  @Reference protected FlowRuleProviderRegistry providerRegistry;

  private final PendingBatches batches =
      new PendingBatches(
          (id, completed) -> providerService().batchOperationCompleted(id, completed));

  /** Creates the provider under the stock one's name. */
  public OpenFlowRuleProvider() {
    super(
        "org.onosproject.provider.openflow",
        "lab-of-flows",
        POLL_FREQUENCY,
        DEFAULT_PERIOD_SECONDS);
  }

  @Override
  protected FlowRuleProviderService register() {
    return providerRegistry.register(this);
  }

  @Override
  protected void unregister() {
    providerRegistry.unregister(this);
  }

  @Override
  protected void poll(OpenFlowSwitch polled) {
    batches.expire();
    polled.sendMsg(
        polled
            .factory()
            .buildFlowStatsRequest()
            .setMatch(polled.factory().matchWildcardAll())
            .setTableId(TableId.ALL)
            .setOutPort(OFPort.ANY)
            .setOutGroup(OFGroup.ANY)
            .build());
    polled.sendMsg(polled.factory().buildTableStatsRequest().build());
  }

  @Override
  public void applyFlowRule(FlowRule... flowRules) {
    send(FlowRuleOperation.ADD, flowRules);
  }

  @Override
  public void removeFlowRule(FlowRule... flowRules) {
    send(FlowRuleOperation.REMOVE, flowRules);
  }

  private void send(FlowRuleOperation operation, FlowRule... rules) {
    for (FlowRule rule : rules) {
      OpenFlowSwitch target = controller.getSwitch(Ids.dpid(rule.deviceId()));
      if (target != null) {
        target.sendMsg(FlowMods.flowMod(target.factory(), operation, rule, 0));
      }
    }
  }

  @Override
  public void executeBatch(FlowRuleBatchOperation batch) {
    OpenFlowSwitch target = controller.getSwitch(Ids.dpid(batch.deviceId()));
    if (target == null) {
      providerService().batchOperationCompleted(batch.id(), PendingBatches.failed(batch));
      return;
    }
    batches.add(batch);
    List<OFMessage> messages = new ArrayList<>();
    for (FlowRuleBatchEntry entry : batch.getOperations()) {
      try {
        messages.add(
            FlowMods.flowMod(target.factory(), entry.operator(), entry.target(), batch.id()));
      } catch (Unsupported | UnsupportedOperationException e) {
        LOG.warn("Rule {} cannot be written: {}", entry.target(), e.getMessage());
        batches.refused(batch.id(), entry.target().id().value());
      }
    }
    messages.add(target.factory().buildBarrierRequest().setXid(batch.id()).build());
    target.sendMsg(messages);
  }

  @Override
  public void handleMessage(Dpid dpid, OFMessage message) {
    DeviceId deviceId = Ids.device(dpid);
    switch (message.getType()) {
      case FLOW_REMOVED:
        providerService().flowRemoved(FlowEntries.removed(deviceId, (OFFlowRemoved) message));
        break;
      case STATS_REPLY:
        report(deviceId, (OFStatsReply) message);
        break;
      case BARRIER_REPLY:
        batches.barrierPassed(message.getXid());
        break;
      case ERROR:
        LOG.warn("Switch {} refused: {}", dpid, message);
        RefusedFlow.cookie((OFErrorMsg) message)
            .ifPresent(cookie -> batches.refused(message.getXid(), cookie));
        break;
      default:
        break;
    }
  }

  private void report(DeviceId deviceId, OFStatsReply reply) {
    switch (reply.getStatsType()) {
      case FLOW:
        List<FlowEntry> entries =
            ((OFFlowStatsReply) reply)
                .getEntries().stream()
                    .map(entry -> FlowEntries.installed(deviceId, entry))
                    .collect(Collectors.toList());
        providerService().pushFlowMetrics(deviceId, entries);
        break;
      case TABLE:
        providerService()
            .pushTableStatistics(deviceId, tables(deviceId, (OFTableStatsReply) reply));
        break;
      default:
        break;
    }
  }

  private static List<TableStatisticsEntry> tables(DeviceId deviceId, OFTableStatsReply reply) {
    return reply.getEntries().stream()
        .map(
            entry ->
                DefaultTableStatisticsEntry.builder()
                    .withDeviceId(deviceId)
                    .withTableId(IndexTableId.of(entry.getTableId().getValue()))
                    .withActiveFlowEntries(entry.getActiveCount())
                    .withPacketsLookedUpCount(entry.getLookupCount().getValue())
                    .withPacketsMatchedCount(entry.getMatchedCount().getValue())
                    .build())
        .collect(Collectors.toList());
  }
}
