// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The shim-layer of SDN-GCC (Abdelmoniem and Bensaou, "The Switch from Conventional to SDN",
 * Algorithm 3) for one endpoint and one congested port:
 *
 * <pre>
 *   R &lt;- max(R_min, R - m / T_i x 1000 bit)    on a notice of m marks (lines 17-19)
 *   R &lt;- min(E, R + C/4000)                    every 250 us, from T_c after the last notice
 * </pre>
 *
 * <p>{@code docs/sdn-gcc.md} lists where it leaves the print, and why.
 */
public final class SdnGcc implements HostLaw {
  /** More than any port marks in a period: a notice of more is nonsense. */
  private static final double MAX_MARKS = 1e12;

  private final SdnGccParameters parameters;
  private final TimerTicks ticks;

  private double ceiling;
  private double guarantee;

  private boolean noticed;
  private double share;
  private double capacity;
  private double periodNanos;
  private double rate;
  private double markRate;
  private long congestedAt;

  private long sentAt;
  private double limit;

  /** The law of traffic that nothing limits yet. */
  public SdnGcc(SdnGccParameters parameters) {
    this.parameters = parameters;
    this.ticks = new TimerTicks(parameters.timerNanos());
  }

  /** Weights have no effect between hosts in this law. */
  @Override
  public void setBounds(Bounds bounds) {
    ceiling = bounds.ceilingBitsPerSecond();
    guarantee = Math.min(bounds.guaranteeBitsPerSecond(), ceiling);
    settle();
  }

  /** Shares are not this law's, but the end of a port's control is. */
  @Override
  public void setShare(PortShare published) {
    if (published.expired()) {
      forget();
    }
  }

  /** Control_Packet_Arrival, lines 11-20. */
  @Override
  public void takeNotice(long nowNanos, PortNotice notice) {
    if (!(notice.marks() > 0 && notice.marks() <= MAX_MARKS)) {
      return;
    }
    catchUp(nowNanos);
    double period = notice.periodNanos();
    if (period <= 0) {
      period = parameters.periodNanos();
    }
    double newMarkRate = notice.marks() / (period / 1e9);
    if (noticed
        && newMarkRate <= markRate
        && (double) (nowNanos - congestedAt) < parameters.acceptPeriods() * period) {
      return;
    }

    capacity = notice.capacityBitsPerSecond();
    share = Math.min(capacity, ceiling);
    if (notice.shareBitsPerSecond() > 0) {
      share = Math.min(share, notice.shareBitsPerSecond());
    }
    if (!noticed) {
      noticed = true;
      rate = share;
      sentAt = nowNanos;
    }
    rate =
        Numbers.clamp(
            rate - newMarkRate * parameters.cutBitsPerMark(),
            parameters.minimumShare() * share,
            share);
    periodNanos = period;
    markRate = newMarkRate;
    congestedAt = nowNanos;
    settle();
  }

  /**
   * Makes up for all timer ticks since the last step: its speed does not depend on the caller's.
   */
  @Override
  public long step(Interval interval) {
    long now = interval.nowNanos;
    if (interval.sentBytes > 0 || interval.backlogged) {
      sentAt = now;
    }
    catchUp(now);
    settle();
    return Math.round(limit);
  }

  private void catchUp(long now) {
    ticks.catchUp(now);
    while (ticks.next(now)) {
      tick(ticks.nanos());
    }
  }

  /** State_Update_Timeout, lines 23-33. */
  private void tick(long nowNanos) {
    if (!noticed || (double) (nowNanos - congestedAt) < parameters.gracePeriods() * periodNanos) {
      return;
    }
    if (nowNanos - sentAt >= parameters.quietNanos()) {
      forget();
      return;
    }
    rate = Math.min(share, rate + capacity / parameters.recoveryDivisor());
  }

  private void forget() {
    noticed = false;
    share = 0;
    capacity = 0;
    rate = 0;
    markRate = 0;
    periodNanos = 0;
    settle();
  }

  private void settle() {
    limit = noticed ? Numbers.clamp(rate, guarantee, ceiling) : ceiling;
  }

  @Override
  public boolean usesShares() {
    return false;
  }

  @Override
  public double limitBitsPerSecond() {
    return limit;
  }

  /** No notice counted for T_o. */
  @Override
  public boolean isIdle(long nowNanos) {
    return !noticed || nowNanos - congestedAt >= parameters.quietNanos();
  }
}
