// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/** What notices said of a port to {@link TwoTimeScale}, and the gains that their delay allows. */
final class Noticed {
  private static final double PACKET_BITS = 1500 * 8;
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final TwoTimeScaleParameters own;
  private final NoticeParameters parameters;

  // Told since the last step:
  private double toldMarks;
  private double toldPackets;
  private long overNanos;

  // What receivers reported within about the last period:
  private double coveredMarks;
  private double coveredPackets;

  private long periodNanos;
  private long lastNanos;
  private boolean governs;

  // Of the step that uncovered() has ended, what was told beyond what receivers reported:
  private double packets;
  private double marks;

  // Of the last step:
  private double increase;
  private double decrease;
  private double pull;
  private double centre;
  private double duck;
  private double probe;

  Noticed(TwoTimeScaleParameters own) {
    this.own = own;
    this.parameters = own.notices();
    forget();
  }

  void forget() {
    toldMarks = 0;
    toldPackets = 0;
    overNanos = 0;
    coveredMarks = 0;
    coveredPackets = 0;
    periodNanos = parameters.periodNanos();
    lastNanos = NEVER;
    governs = false;
    useOwnGains();
  }

  /** Notes a notice. One that does not say of how many packets is no evidence. */
  void take(long nowNanos, PortNotice notice) {
    boolean tells = notice.packets() > 0 && notice.marks() >= 0 && notice.periodNanos() > 0;
    if (parameters.periodNanos() <= 0 || !tells) {
      return;
    }
    toldMarks += Math.min(notice.marks(), notice.packets());
    toldPackets += notice.packets();
    overNanos += notice.periodNanos();
    periodNanos = notice.periodNanos();
    lastNanos = nowNanos;
  }

  /** Ends a step. A packet is counted once, whoever tells of it. */
  void uncover(Interval interval) {
    packets = 0;
    marks = 0;
    if (periodNanos > 0) {
      // What has left the period leaves the sums; in a steady state they hold one period's.
      double part = Numbers.clamp((double) interval.elapsedNanos / (double) periodNanos, 0, 1);
      coveredPackets += (double) interval.packets - part * coveredPackets;
      coveredMarks += (double) interval.cePackets - part * coveredMarks;
    }
    if (overNanos > 0) {
      double periods = (double) overNanos / (double) periodNanos;
      packets = Math.max(toldPackets - periods * coveredPackets, 0);
      marks = Numbers.clamp(toldMarks - periods * coveredMarks, 0, packets);
      governs = packets > toldPackets / 2;
      toldMarks = 0;
      toldPackets = 0;
      overNanos = 0;
    } else if (interval.packets > 0 && interval.nowNanos - lastNanos >= own.quietNanos()) {
      governs = false;
    }
  }

  double packets() {
    return packets;
  }

  double marks() {
    return marks;
  }

  /** Whether notices tell more than receivers do. */
  boolean governs() {
    return governs;
  }

  /** Whether the last notice's F is still valid. */
  boolean holds(long nowNanos) {
    return (double) (nowNanos - lastNanos) <= parameters.holdPeriods() * (double) periodNanos;
  }

  /** Whether the controller has been silent for so long that it would tell of no marks. */
  boolean isControllerSilent(long nowNanos, long lastShareNanos) {
    return governs && nowNanos - lastShareNanos >= parameters.silentNanos();
  }

  // ---------------------------------------------------------------- gains

  /**
   * Sets the gains of a step: the law's own, or those that the delay of notices allows. gamma <= K
   * / (C [packets/s] (T_i + RTT)) and a <= gamma/4, or the loop rings; b and the pull follow a, the
   * pull's centre is where R then stands at rest, and probing is as much slower as gamma.
   */
  void setGains(double capacityBitsPerSecond, long elapsedNanos) {
    if (!governs || capacityBitsPerSecond <= 0) {
      useOwnGains();
      return;
    }
    double perNano = capacityBitsPerSecond / PACKET_BITS / 1e9;
    double queue =
        Numbers.clamp(
            perNano * (double) parameters.queueNanos(),
            parameters.leastPackets(),
            parameters.mostPackets());
    double late = (double) (periodNanos + parameters.roundTripNanos());
    duck = Math.min(own.proportionalGain(), queue / (perNano * late));
    double part = Math.min(1, (double) elapsedNanos / (double) periodNanos);
    double slower = Math.min(own.increaseGain(), duck / 4) / own.increaseGain() * part;
    increase = slower * own.increaseGain();
    decrease = slower * own.decreaseGain();
    pull = slower * own.pullGain();
    centre =
        own.pullCentre()
            - (own.proportionalGain() - duck) * own.increaseGain() / own.decreaseGain();
    probe = 1 + (own.probeFactor() - 1) * duck / own.proportionalGain() * part;
  }

  private void useOwnGains() {
    increase = own.increaseGain();
    decrease = own.decreaseGain();
    pull = own.pullGain();
    centre = own.pullCentre();
    duck = own.proportionalGain();
    probe = own.probeFactor();
  }

  double increase() {
    return increase;
  }

  double decrease() {
    return decrease;
  }

  double pull() {
    return pull;
  }

  double centre() {
    return centre;
  }

  double duck() {
    return duck;
  }

  double probe() {
    return probe;
  }
}
