// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.onosproject.net.DeviceId;
import org.onosproject.net.device.DefaultPortStatistics;
import org.onosproject.net.device.PortStatistics;
import org.onosproject.openflow.controller.Dpid;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.sluice.lab.onos.openflow.translate.Ids;

/**
 * Puts the parts of a port statistics reply together; the controller hands them over on several
 * threads.
 */
final class PortCounters {

  private final Map<Dpid, List<PortStatistics>> begun = new HashMap<>();

  /** Takes a part; returns all ports of the switch with the last part, null before it. */
  synchronized List<PortStatistics> take(Dpid dpid, OFPortStatsReply part) {
    List<PortStatistics> all = begun.computeIfAbsent(dpid, key -> new ArrayList<>());
    DeviceId deviceId = Ids.device(dpid);
    all.addAll(
        part.getEntries().stream()
            .filter(entry -> entry.getPortNo().getPortNumber() > 0)
            .map(entry -> statistics(deviceId, entry))
            .collect(Collectors.toList()));
    if (part.getFlags().contains(OFStatsReplyFlags.REPLY_MORE)) {
      return null;
    }
    begun.remove(dpid);
    return all;
  }

  synchronized void forget(Dpid dpid) {
    begun.remove(dpid);
  }

  private static PortStatistics statistics(DeviceId deviceId, OFPortStatsEntry entry) {
    return DefaultPortStatistics.builder()
        .setDeviceId(deviceId)
        .setPort(Ids.port(entry.getPortNo()))
        .setPacketsReceived(entry.getRxPackets().getValue())
        .setPacketsSent(entry.getTxPackets().getValue())
        .setBytesReceived(entry.getRxBytes().getValue())
        .setBytesSent(entry.getTxBytes().getValue())
        .setPacketsRxDropped(entry.getRxDropped().getValue())
        .setPacketsTxDropped(entry.getTxDropped().getValue())
        .setPacketsRxErrors(entry.getRxErrors().getValue())
        .setPacketsTxErrors(entry.getTxErrors().getValue())
        .setDurationSec(entry.getDurationSec())
        .setDurationNano(entry.getDurationNsec())
        .build();
  }
}
