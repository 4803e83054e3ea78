// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

import java.util.Arrays;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.time.SmoothedRate;
import org.sluice.engine.time.TickTime;

/**
 * What receiving hosts counted, by the ports that it had crossed: packets, and the marks at ports
 * behind which no switch counts any. Sums over about {@link SmoothedRate#WINDOW_NANOS}.
 */
final class HostMarks {
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final PortTable ports;
  private double[] packets = {};
  private double[] edgeMarks = {};
  private long[] reportedAt = {};

  HostMarks(PortTable ports) {
    this.ports = ports;
  }

  void follow() {
    int before = reportedAt.length;
    if (before < ports.size()) {
      int size = ports.id.length;
      packets = Arrays.copyOf(packets, size);
      edgeMarks = Arrays.copyOf(edgeMarks, size);
      reportedAt = Arrays.copyOf(reportedAt, size);
      Arrays.fill(reportedAt, before, size, NEVER);
    }
  }

  /** Lets the past fade by what is left of it, and adds what came since the last tick. */
  void tick(TickTime time) {
    for (int port : ports.inUse.rows()) {
      packets[port] = packets[port] * time.left + ports.packets16[port] / 65536.0;
      edgeMarks[port] = edgeMarks[port] * time.left + ports.lastHopMarks[port];
      ports.lastHopMarks[port] = 0;
      if (ports.packets16[port] > 0) {
        reportedAt[port] = time.sampledAt;
      }
    }
  }

  /** Packets that had crossed the port. */
  double packets(int port) {
    return packets[port];
  }

  /** Marks on paths of which the port is the last hop. */
  double edgeMarks(int port) {
    return edgeMarks[port];
  }

  /** Engine time of the last packets that had crossed the port, ns. */
  long reportedAt(int port) {
    return reportedAt[port];
  }
}
