// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import org.sluice.agentlink.proto.FlowSizes;
import org.sluice.api.HostId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.EndedFlows;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.LargeFlow;

/** Checks and decodes reports of how much flows have sent. */
final class FlowSizeDecoder {
  static final int MAX_FLOWS = 65_536;

  /** Four to each doubling of 2^63 bytes. */
  static final int MAX_SIZES = 4 * 63;

  /** Flows of one size in one report: beyond that they would outweigh all other hosts'. */
  static final int MAX_ENDED = 1 << 20;

  private final HostId host;
  private final OwnEndpoints own;
  private final FlowDecoder flows;

  FlowSizeDecoder(HostId host, OwnEndpoints own, FlowDecoder flows) {
    this.host = host;
    this.own = own;
    this.flows = flows;
  }

  FlowSizeReport report(FlowSizes report, long receivedNanos) throws BadMessageException {
    FieldChecks.atMost("large", report.getLargeCount(), MAX_FLOWS);
    FieldChecks.atMost("ended", report.getEndedCount(), MAX_SIZES);
    List<LargeFlow> large = new ArrayList<>(report.getLargeCount());
    for (org.sluice.agentlink.proto.LargeFlow one : report.getLargeList()) {
      FlowKey flow = flows.exact("large[].flow", one.getFlow());
      FieldChecks.notNegative("large[].sent_bytes", one.getSentBytes());
      if (own.has(flow.source())) {
        large.add(LargeFlow.of(flow, one.getSentBytes(), one.getEnded()));
      } else {
        own.leaveOut("flow " + flow);
      }
    }
    List<EndedFlows> ended = new ArrayList<>(report.getEndedCount());
    for (org.sluice.agentlink.proto.EndedFlows one : report.getEndedList()) {
      FieldChecks.notNegative("ended[].bytes", one.getBytes());
      if (one.getFlows() <= 0 || one.getFlows() > MAX_ENDED) {
        throw BadMessageException.ignored(
            "ended[].flows is "
                + Long.toUnsignedString(one.getFlows())
                + "; expected 1 to "
                + MAX_ENDED);
      }
      ended.add(EndedFlows.of(one.getBytes(), one.getFlows()));
    }
    return FlowSizeReport.of(host, receivedNanos, large, ended);
  }
}
