// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.util.ArrayList;
import java.util.List;
import org.sluice.agentlink.proto.AppliedTcpHint;
import org.sluice.agentlink.proto.TcpHintReport;
import org.sluice.api.HostId;
import org.sluice.api.policy.AppliedHint;
import org.sluice.api.policy.TcpHint;

/** Checks and decodes what hosts report about hints. */
final class HintReportDecoder {
  /** A hint for each group, and one for all. */
  static final int MAX_HINTS = 1025;

  static final int MAX_REFUSED = 256;
  private static final int MAX_REFUSAL_LENGTH = 200;
  private static final int MAX_NAME_LENGTH = 15;

  private final HostId host;

  HintReportDecoder(HostId host) {
    this.host = host;
  }

  org.sluice.api.link.TcpHintReport report(TcpHintReport report) throws BadMessageException {
    FieldChecks.notNegative("revision", report.getRevision());
    FieldChecks.atMost("hints", report.getHintsCount(), MAX_HINTS);
    FieldChecks.atMost("refused", report.getRefusedCount(), MAX_REFUSED);
    List<AppliedHint> hints = new ArrayList<>(report.getHintsCount());
    for (AppliedTcpHint hint : report.getHintsList()) {
      hints.add(applied(hint));
    }
    List<String> refused = new ArrayList<>(report.getRefusedCount());
    for (String text : report.getRefusedList()) {
      refused.add(AgentText.readable(text, MAX_REFUSAL_LENGTH));
    }
    return org.sluice.api.link.TcpHintReport.of(host, report.getRevision(), hints, refused);
  }

  private static AppliedHint applied(AppliedTcpHint hint) throws BadMessageException {
    count("hints[].initial_window_segments", hint.getInitialWindowSegments());
    count("hints[].routes", hint.getRoutes());
    count("hints[].cgroups", hint.getCgroups());
    FieldChecks.duration("hints[].rto_min_nanos", hint.getRtoMinNanos());
    FieldChecks.notNegative("hints[].pacing_bits_per_second", hint.getPacingBitsPerSecond());
    return AppliedHint.of(
        TcpHint.builder()
            .initialWindowSegments(hint.getInitialWindowSegments())
            .rtoMinNanos(hint.getRtoMinNanos())
            .congestionControl(AgentText.readable(hint.getCongestionControl(), MAX_NAME_LENGTH))
            .pacingBitsPerSecond(hint.getPacingBitsPerSecond())
            .build(),
        hint.getRoutes(),
        hint.getCgroups());
  }

  /** An unsigned number of 32 bits. */
  private static void count(String field, int value) throws BadMessageException {
    if (value < 0) {
      throw BadMessageException.ignored(
          field + " is " + Integer.toUnsignedString(value) + "; expected less than 2^31");
    }
  }
}
