// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.Finding;
import org.sluice.api.IpAddress;
import org.sluice.core.sampling.SampleLoss;
import org.sluice.core.setting.SettingTable;

/** Whether samples of switches arrive, and are taken in. */
final class SamplingCheck implements Check {
  private static final String SFLOW = "sflow";
  private static final String FEWER = "Have switches sample fewer packets (docs/sflow.md)";

  @Override
  public List<Finding> examine(Condition condition) {
    if (!condition.parameters().samplesFlows()) {
      return List.of();
    }
    List<Finding> found = new ArrayList<>();
    if (!condition.samplingFault().isEmpty()) {
      found.add(
          Finding.of(
              ERROR,
              SFLOW,
              "No samples are received: " + condition.samplingFault(),
              condition.platform().settingCommand(SettingTable.SFLOW_PORT.name(), "PORT")));
    }
    if (condition.parameters().get(SettingTable.SFLOW_AGENTS).isEmpty()) {
      found.add(
          Finding.of(
              NOTE,
              SFLOW,
              "No switch's datagrams are accepted: sflowAgents is empty",
              condition
                  .platform()
                  .settingCommand(SettingTable.SFLOW_AGENTS.name(), "ADDRESS,ADDRESS")));
    }
    for (SampleLoss reason : SampleLoss.values()) {
      Long count = condition.recentSampleLosses().get(reason);
      if (count != null) {
        found.add(
            Finding.of(WARNING, SFLOW, text(condition, reason, count), remedy(condition, reason)));
      }
    }
    return found;
  }

  private static String text(Condition condition, SampleLoss reason, long count) {
    switch (reason) {
      case FOREIGN:
        return Check.count(count, "datagram")
            + " of addresses that are not listed dropped, the last of "
            + sender(condition, reason);
      case OVER_QUOTA:
        return Check.count(count, "datagram")
            + " beyond what a switch may send dropped, the last of "
            + sender(condition, reason);
      case MALFORMED:
        return Check.count(count, "malformed datagram")
            + " dropped, the last of "
            + sender(condition, reason);
      case MALFORMED_SAMPLE:
        return Check.count(count, "malformed sample")
            + " skipped, the last of "
            + sender(condition, reason);
      case KERNEL:
        return Check.count(count, "datagram")
            + " dropped by the kernel because the receive buffer was full; estimates are too low";
      default:
        return Check.count(count, "report") + " of flows ignored: the engine's inbox was full";
    }
  }

  private static String sender(Condition condition, SampleLoss reason) {
    IpAddress sender = condition.sampleCounts().lastSenders().get(reason);
    return sender == null ? "an unknown address" : sender.toString();
  }

  private static String remedy(Condition condition, SampleLoss reason) {
    switch (reason) {
      case FOREIGN:
        return "If that is a switch of yours: "
            + condition
                .platform()
                .settingCommand(SettingTable.SFLOW_AGENTS.name(), listed(condition, reason))
            + "; else keep it from UDP port "
            + condition.parameters().get(SettingTable.SFLOW_PORT);
      case MALFORMED:
      case MALFORMED_SAMPLE:
        return "Have it send sFlow version 5; the log of this node says when it does not";
      case KERNEL:
        return condition.sampleCounts().hasLessBuffer()
            ? "On this node: sysctl -w net.core.rmem_max=16777216, then "
                + condition.platform().settingCommand(SettingTable.SFLOW_PORT.name(), "0")
                + " and back to "
                + condition.parameters().get(SettingTable.SFLOW_PORT)
            : FEWER;
      default:
        return FEWER;
    }
  }

  private static String listed(Condition condition, SampleLoss reason) {
    String now =
        SettingTable.SFLOW_AGENTS.write(condition.parameters().get(SettingTable.SFLOW_AGENTS));
    return (now.isEmpty() ? "" : now + ",") + sender(condition, reason);
  }
}
