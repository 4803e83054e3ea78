// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

/**
 * What passed ports, and what endpoints and tenants got through, in windows of a second. Hosts
 * report a while after packets have passed, each at its own times. So a window ends some time
 * before it is measured: then all of it has been reported, and what has passed since is left to the
 * next. A steady flow has the same rate in each. Times are the caller's: engine time stands still
 * while the engine does, and traffic does not.
 */
public final class Passed {
  /** Reports cover no more, but for hosts that were cut off; estimates come every 200 ms. */
  private static final long REPORTED_WITHIN_NANOS = 250_000_000L;

  private static final long WINDOW_NANOS = 1_000_000_000L;
  private static final long OPEN = Long.MAX_VALUE;

  public final PassedBytes ofPorts;
  public final PassedBytes ofEndpoints;
  public final PassedBytes ofTenants = new PassedBytes();

  private boolean started;
  private long now;
  private long measuredAt;
  private long begin;
  private long end = OPEN;

  Passed(PassedBytes ofPorts, PassedBytes ofEndpoints) {
    this.ofPorts = ofPorts;
    this.ofEndpoints = ofEndpoints;
  }

  /** Ends the window in time for the next measurement. */
  public void tick(long nowNanos) {
    if (!started || nowNanos < now) {
      started = true;
      measuredAt = nowNanos;
      begin = nowNanos;
      end = OPEN;
    }
    now = nowNanos;
    if (end == OPEN && now - measuredAt >= WINDOW_NANOS - REPORTED_WITHIN_NANOS) {
      end = now;
    }
  }

  /** What part of a report's time lies before the window, 0 to 1. */
  public double earlyPart(long receivedNanos, long intervalNanos) {
    return part(begin - (receivedNanos - intervalNanos), intervalNanos);
  }

  /** What part of a report's time lies after the window, 0 to 1. */
  public double latePart(long receivedNanos, long intervalNanos) {
    return end == OPEN ? 0 : part(receivedNanos - end, intervalNanos);
  }

  private static double part(long nanos, long intervalNanos) {
    return Math.min(1, Math.max(0, (double) nanos / intervalNanos));
  }

  /** Gives all their rates of the window. */
  public void measure() {
    long until = Math.min(end, now);
    if (until > begin) {
      double seconds = (until - begin) / 1e9;
      ofPorts.measure(seconds);
      ofEndpoints.measure(seconds);
      ofTenants.measure(seconds);
      begin = until;
    }
    measuredAt = now;
    end = OPEN;
  }
}
