// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/** The gains of a step of {@link TwoTimeScale}: its own, or those that notices' delay allows. */
final class StepGains {
  private static final double PACKET_BITS = 1500 * 8;

  private final TwoTimeScaleParameters own;
  private final NoticeParameters notices;

  private double increase;
  private double decrease;
  private double pull;
  private double centre;
  private double proportional;
  private double probe;

  StepGains(TwoTimeScaleParameters own) {
    this.own = own;
    this.notices = own.notices();
    useOwn();
  }

  /** Marks come from receivers: the law's own gains hold. */
  void useOwn() {
    increase = own.increaseGain();
    decrease = own.decreaseGain();
    pull = own.pullGain();
    centre = own.pullCentre();
    proportional = own.proportionalGain();
    probe = own.probeFactor();
  }

  /**
   * Marks come late: from notices after a period T_i, or over a long way. gamma <= K / (C
   * [packets/s] (delay + RTT)) and a <= gamma/4 per delay, or the loop rings; b and the pull follow
   * a, the pull's centre is where R then settles, and probing is as much slower as gamma.
   *
   * @param capacityBitsPerSecond C, above 0
   * @param periodNanos the delay, above 0
   * @param elapsedNanos since the last step
   */
  void useDelayed(double capacityBitsPerSecond, long periodNanos, long elapsedNanos) {
    double perNano = capacityBitsPerSecond / PACKET_BITS / 1e9;
    double queue =
        Numbers.clamp(
            perNano * (double) notices.queueNanos(), notices.leastPackets(), notices.mostPackets());
    double delay = (double) (periodNanos + notices.roundTripNanos());
    proportional = Math.min(own.proportionalGain(), queue / (perNano * delay));
    double part = Math.min(1, (double) elapsedNanos / (double) periodNanos);
    double slower = Math.min(own.increaseGain(), proportional / 4) / own.increaseGain() * part;
    increase = slower * own.increaseGain();
    decrease = slower * own.decreaseGain();
    pull = slower * own.pullGain();
    centre =
        own.pullCentre()
            - (own.proportionalGain() - proportional) * own.increaseGain() / own.decreaseGain();
    probe = 1 + (own.probeFactor() - 1) * proportional / own.proportionalGain() * part;
  }

  /** a. */
  double increase() {
    return increase;
  }

  /** b. */
  double decrease() {
    return decrease;
  }

  /** kappa. */
  double pull() {
    return pull;
  }

  /** c. */
  double centre() {
    return centre;
  }

  /** gamma. */
  double proportional() {
    return proportional;
  }

  /** What R is multiplied by in a step that probes. */
  double probe() {
    return probe;
  }
}
