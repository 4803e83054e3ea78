// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.link.TcpHints;
import org.sluice.api.policy.PrefixHint;
import org.sluice.sim.agent.HintListener;
import org.sluice.sim.event.Scheduler;

/** What hosts were hinted over a run, for how long, and what that took. */
public final class HintRecord implements HintListener {
  private static final double MILLI = 1e6;
  private static final double BITS_NANOS_PER_KILOBIT = 8e6;

  private final Scheduler scheduler;
  private final int hosts;
  private final long beganNanos;
  private final List<Long> restoredNanos = new ArrayList<>();
  private int hintedHosts;
  private long hintedSinceNanos;
  private long hostNanos;
  private long messages;
  private long changes;
  private long bytes;
  private long mostBytes;
  private long rtoMinNanos;

  /** Of so many hosts, which have no hints yet. */
  HintRecord(Scheduler scheduler, int hosts) {
    this.scheduler = scheduler;
    this.hosts = hosts;
    this.beganNanos = scheduler.now();
  }

  @Override
  public void received(TcpHints hints) {
    messages++;
    long length = OracleTraffic.hints(hints);
    bytes += length;
    mostBytes = Math.max(mostBytes, length);
  }

  @Override
  public void changed(List<PrefixHint> before, List<PrefixHint> now) {
    if (before.equals(now)) {
      return;
    }
    changes++;
    now.forEach(each -> rtoMinNanos = Math.max(rtoMinNanos, each.hint().rtoMinNanos()));
    hostNanos = hostNanos();
    hintedSinceNanos = Math.max(0, scheduler.now());
    hintedHosts += isAboutAll(now) - isAboutAll(before);
    if (hintedHosts == 0) {
      restoredNanos.add(scheduler.now());
    }
  }

  private static int isAboutAll(List<PrefixHint> hints) {
    return hints.stream().anyMatch(each -> each.destinations().isEmpty()) ? 1 : 0;
  }

  /** Sets that hosts have received. */
  public long messages() {
    return messages;
  }

  /** Changes of what a host is hinted, in the mean over all hosts. */
  public double changes() {
    return (double) changes / hosts;
  }

  /** Of all hosts' time from 0 on, the part with a hint about all that they send. */
  public double hintedPart() {
    long now = scheduler.now();
    return now <= 0 ? 0 : hostNanos() / ((double) now * hosts);
  }

  private long hostNanos() {
    return hostNanos + hintedHosts * Math.max(0, scheduler.now() - hintedSinceNanos);
  }

  /**
   * When all hosts had their own parameters again, ms after a time; 0 if they never had.
   *
   * @param fromNanos when something began that ends hints
   */
  public double restoredMillis(long fromNanos) {
    return restoredNanos.stream()
        .filter(at -> at >= fromNanos)
        .findFirst()
        .map(at -> (at - fromNanos) / MILLI)
        .orElse(0.0);
  }

  /** What hosts made of the hinted RTO_min, the greatest, ms; 0 without one. */
  public double rtoMinMillis() {
    return rtoMinNanos / MILLI;
  }

  /** What hints took, kbit/s. */
  public double kilobits() {
    long nanos = scheduler.now() - beganNanos;
    return nanos == 0 ? 0 : (double) bytes / nanos * BITS_NANOS_PER_KILOBIT;
  }

  /** What they would take if all hosts got the longest set of this run in every cycle, kbit/s. */
  public double mostKilobits(long cycleNanos) {
    return (double) mostBytes * hosts / cycleNanos * BITS_NANOS_PER_KILOBIT;
  }
}
