// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The sender of HyGenICC (Abdelmoniem, Bensaou and Abu, Algorithm 1) for one endpoint and one NIC.
 * Marks come back from receivers as {@link Interval#cePackets}; every timer period
 *
 * <pre>
 *   R &lt;- R - marks / period x 500 bit     with marks in this period
 *   R &lt;- R + NIC_Cap / slow               without, but with some in the last Congestion_Timeout
 *   R &lt;- R + NIC_Cap / fast               with none for that long
 *   R &lt;- clamp(R, R_min, Capacity_Share)
 * </pre>
 *
 * <p>Capacity_Share is the ceiling of the bounds. {@code docs/hygenicc.md} lists where this leaves
 * the print, and why.
 */
public final class HyGenIcc implements HostLaw {
  private final HyGenIccParameters parameters;
  private final TimerTicks ticks;

  private double ceiling;
  private double guarantee;

  private boolean active;
  private double rate;
  private double marks;
  private boolean reflected;
  private long reflectedAt;
  private long sentAt;
  private double limit;

  /** The law of an endpoint that nothing limits yet. */
  public HyGenIcc(HyGenIccParameters parameters) {
    this.parameters = parameters;
    this.ticks = new TimerTicks(parameters.timerNanos());
  }

  @Override
  public void setBounds(Bounds bounds) {
    ceiling = bounds.ceilingBitsPerSecond();
    guarantee = Math.min(bounds.guaranteeBitsPerSecond(), ceiling);
    rate = Math.min(rate, ceiling);
    settle();
  }

  /** There is no controller. */
  @Override
  public void setShare(PortShare share) {}

  /** There is no controller. */
  @Override
  public void takeNotice(long nowNanos, PortNotice notice) {}

  @Override
  public long step(Interval interval) {
    long now = interval.nowNanos;
    if (interval.sentBytes > 0 || interval.backlogged) {
      sentAt = now;
    }
    if (interval.cePackets > 0) {
      arrive(interval.cePackets, now);
    }
    ticks.catchUp(now);
    while (ticks.next(now)) {
      tick(ticks.nanos());
    }
    settle();
    return Math.round(limit);
  }

  /** Packet_Arrival, lines 6-11: what was reflected waits for the timer. */
  private void arrive(long reflectedMarks, long now) {
    if (!active) {
      active = true;
      rate = ceiling;
      sentAt = now;
    }
    marks += reflectedMarks;
    reflected = true;
    reflectedAt = now;
  }

  /** Timer_timeout, lines 12-26. */
  private void tick(long now) {
    if (!active) {
      return;
    }
    if (now - sentAt >= parameters.quietNanos()) {
      active = false;
      marks = 0;
      reflected = false;
      rate = 0;
      return;
    }
    if (now - reflectedAt >= parameters.congestionTimeoutNanos()) {
      reflected = false;
    }
    if (marks > 0) {
      rate -= marks / ((double) parameters.timerNanos() / 1e9) * parameters.cutBitsPerMark();
      marks = 0;
    } else if (reflected) {
      rate += parameters.nicBitsPerSecond() / parameters.slowDivisor();
    } else {
      rate += parameters.nicBitsPerSecond() / parameters.fastDivisor();
    }
    rate = Numbers.clamp(rate, parameters.minimumShare() * ceiling, ceiling);
  }

  private void settle() {
    limit = active ? Numbers.clamp(rate, guarantee, ceiling) : ceiling;
  }

  @Override
  public boolean usesShares() {
    return false;
  }

  @Override
  public double limitBitsPerSecond() {
    return limit;
  }

  /** Nothing was reflected, or nothing sent, for so long that all of it is forgotten. */
  @Override
  public boolean isIdle(long nowNanos) {
    return !active;
  }
}
