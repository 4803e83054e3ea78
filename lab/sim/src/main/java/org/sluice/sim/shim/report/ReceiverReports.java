// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.report;

import java.util.List;
import org.sluice.sim.shim.host.LocalEndpoint;
import org.sluice.sim.shim.marks.PhantomQueue;

/**
 * What the phantom queues of a host's receive ceilings counted, for the controller: every control
 * period while one was over its threshold within the last second, else less often.
 */
public final class ReceiverReports {
  private static final long QUIET_NANOS = 100_000_000L;
  private static final long MARKED_NANOS = 1_000_000_000L;

  private final long periodNanos;
  private final List<LocalEndpoint> endpoints;

  // By endpoint: what was reported, and of which queue.
  private final PhantomQueue[] queues;
  private final long[] packets;
  private final long[] bytes;
  private final long[] over;

  private long reportedNanos;
  private long markedNanos = -MARKED_NANOS;

  public ReceiverReports(long periodNanos, List<LocalEndpoint> endpoints) {
    this.periodNanos = periodNanos;
    this.endpoints = endpoints;
    this.queues = new PhantomQueue[endpoints.size()];
    this.packets = new long[queues.length];
    this.bytes = new long[queues.length];
    this.over = new long[queues.length];
  }

  /** Reports what has arrived since the last report, if one is due. */
  public void turn(long nowNanos, ReportSink to) {
    for (int i = 0; i < queues.length; i++) {
      follow(i);
      if (queues[i] != null && queues[i].overThresholdPackets() != over[i]) {
        markedNanos = nowNanos;
      }
    }
    long pause = nowNanos - markedNanos < MARKED_NANOS ? periodNanos : QUIET_NANOS;
    if (nowNanos - reportedNanos < pause) {
      return;
    }
    for (int i = 0; i < queues.length; i++) {
      if (queues[i] != null && queues[i].arrivedPackets() != packets[i]) {
        report(i, nowNanos - reportedNanos, to);
      }
    }
    reportedNanos = nowNanos;
  }

  /** Another ceiling has another queue. */
  private void follow(int i) {
    PhantomQueue now = endpoints.get(i).arrivals();
    if (now != queues[i]) {
      queues[i] = now;
      packets[i] = 0;
      bytes[i] = 0;
      over[i] = 0;
    }
  }

  private void report(int i, long intervalNanos, ReportSink to) {
    PhantomQueue queue = queues[i];
    to.observeReceiver(
        endpoints.get(i).endpoint,
        intervalNanos,
        queue.arrivedPackets() - packets[i],
        queue.arrivedBytes() - bytes[i],
        queue.overThresholdPackets() - over[i]);
    packets[i] = queue.arrivedPackets();
    bytes[i] = queue.arrivedBytes();
    over[i] = queue.overThresholdPackets();
  }
}
