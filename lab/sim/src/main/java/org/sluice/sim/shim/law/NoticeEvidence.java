// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * What notices report of a port to {@link TwoTimeScale} beyond what receivers do. A packet counts
 * once, whoever reports it.
 */
final class NoticeEvidence {
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final NoticeParameters parameters;
  private final long quietNanos;

  // From the notices since the last step:
  private double noticedMarks;
  private double noticedPackets;
  private long noticedNanos;

  // From receivers' reports, within about the last period:
  private double coveredMarks;
  private double coveredPackets;

  private long periodNanos;
  private long lastNanos;
  private boolean governs;

  // Of the step that uncover() has ended: what notices report and receivers do not.
  private double packets;
  private double marks;

  NoticeEvidence(TwoTimeScaleParameters law) {
    this.parameters = law.notices();
    this.quietNanos = law.quietNanos();
    forget();
  }

  void forget() {
    noticedMarks = 0;
    noticedPackets = 0;
    noticedNanos = 0;
    coveredMarks = 0;
    coveredPackets = 0;
    periodNanos = parameters.periodNanos();
    lastNanos = NEVER;
    governs = false;
  }

  /** Takes a notice. One without a number of packets is no evidence. */
  void take(long nowNanos, PortNotice notice) {
    boolean isEvidence = notice.packets() > 0 && notice.marks() >= 0 && notice.periodNanos() > 0;
    if (parameters.periodNanos() <= 0 || !isEvidence) {
      return;
    }
    noticedMarks += Math.min(notice.marks(), notice.packets());
    noticedPackets += notice.packets();
    noticedNanos += notice.periodNanos();
    periodNanos = notice.periodNanos();
    lastNanos = nowNanos;
  }

  /** Ends a step: finds what receivers have not reported. */
  void uncover(Interval interval) {
    packets = 0;
    marks = 0;
    if (periodNanos > 0) {
      // What has left the period leaves the sums; in a steady state they hold one period's.
      double part = Numbers.clamp((double) interval.elapsedNanos / (double) periodNanos, 0, 1);
      coveredPackets += (double) interval.packets - part * coveredPackets;
      coveredMarks += (double) interval.cePackets - part * coveredMarks;
    }
    if (noticedNanos > 0) {
      double periods = (double) noticedNanos / (double) periodNanos;
      packets = Math.max(noticedPackets - periods * coveredPackets, 0);
      marks = Numbers.clamp(noticedMarks - periods * coveredMarks, 0, packets);
      governs = packets > noticedPackets / 2;
      noticedMarks = 0;
      noticedPackets = 0;
      noticedNanos = 0;
    } else if (interval.packets > 0 && interval.nowNanos - lastNanos >= quietNanos) {
      governs = false;
    }
  }

  double packets() {
    return packets;
  }

  double marks() {
    return marks;
  }

  /** Whether notices report more packets than receivers do. */
  boolean governs() {
    return governs;
  }

  /** Whether the last notice's F is still valid. */
  boolean isValid(long nowNanos) {
    return (double) (nowNanos - lastNanos) <= parameters.holdPeriods() * (double) periodNanos;
  }
}
