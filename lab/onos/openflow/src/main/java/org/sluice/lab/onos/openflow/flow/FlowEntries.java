// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.flow;

import org.onosproject.net.DeviceId;
import org.onosproject.net.flow.DefaultFlowEntry;
import org.onosproject.net.flow.DefaultFlowRule;
import org.onosproject.net.flow.FlowEntry;
import org.onosproject.net.flow.FlowEntry.FlowEntryState;
import org.onosproject.net.flow.FlowRule;
import org.projectfloodlight.openflow.protocol.OFFlowRemoved;
import org.projectfloodlight.openflow.protocol.OFFlowStatsEntry;
import org.sluice.lab.onos.openflow.translate.Matches;
import org.sluice.lab.onos.openflow.translate.Treatments;

/** Reads flow entries as a switch reports them. */
final class FlowEntries {

  private FlowEntries() {}

  static FlowEntry installed(DeviceId deviceId, OFFlowStatsEntry entry) {
    FlowRule rule =
        DefaultFlowRule.builder()
            .forDevice(deviceId)
            .forTable(entry.getTableId().getValue())
            .withSelector(Matches.selector(entry.getMatch()))
            .withTreatment(Treatments.treatment(entry.getInstructions()))
            .withPriority(entry.getPriority())
            .withIdleTimeout(entry.getIdleTimeout())
            .withCookie(entry.getCookie().getValue())
            .build();
    return new DefaultFlowEntry(
        rule,
        FlowEntryState.ADDED,
        entry.getDurationSec(),
        entry.getPacketCount().getValue(),
        entry.getByteCount().getValue());
  }

  static FlowEntry removed(DeviceId deviceId, OFFlowRemoved removed) {
    FlowRule rule =
        DefaultFlowRule.builder()
            .forDevice(deviceId)
            .forTable(removed.getTableId().getValue())
            .withSelector(Matches.selector(removed.getMatch()))
            .withPriority(removed.getPriority())
            .withIdleTimeout(removed.getIdleTimeout())
            .withCookie(removed.getCookie().getValue())
            .withReason(FlowRule.FlowRemoveReason.parseShort((short) removed.getReason().ordinal()))
            .build();
    return new DefaultFlowEntry(
        rule,
        FlowEntryState.REMOVED,
        removed.getDurationSec(),
        removed.getPacketCount().getValue(),
        removed.getByteCount().getValue());
  }
}
