// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The host's half of Sluice's two-time-scale law, for one endpoint i and one congested port p. The
 * controller publishes the unit share u_p every T_i; this runs every tau and follows the marks:
 *
 * <pre>
 *   R &lt;- clamp(R + (a + pull) w u - b F R, R_min, E)
 *   pull = kappa clamp(c - R/(w u), -delta, delta)        times (1 - F) where it is positive,
 *                                                        and 0 there once u is stale
 *   r  = max(guarantee, R (1 - gamma F))                  the limit
 * </pre>
 *
 * <p>with F the part of packets that carried CE. A source starts at w C / (W + w). Backlog that
 * stays unmarked although R stands well above its reference is spare capacity and is probed for; a
 * limit that is not used does not grow. Where receivers do not tell of marks, notices do ({@link
 * Noticed}). {@code docs/two-time-scale-law.md} explains all of it.
 */
public final class TwoTimeScale implements Law {
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final TwoTimeScaleParameters parameters;
  private final Noticed noticed;

  private double ceiling;
  private double guarantee;
  private double weight = 1;

  private boolean published;
  private double unitShare;
  private double capacity;

  private double rate;
  private double marks;
  private double limit;
  private double delivered;
  private double marked;

  private int silentSteps;
  private int quietSteps;
  private int calmSteps;
  private int unusedSteps;
  private boolean probed;
  private boolean newsReceived;
  private long lastNews;
  private boolean shareIsNew;
  private long lastShare = NEVER;

  /** The law of traffic that nothing limits yet. */
  public TwoTimeScale(TwoTimeScaleParameters parameters) {
    this.parameters = parameters;
    this.noticed = new Noticed(parameters);
  }

  /** A new weight moves the goal, not the rate: the loop walks there. */
  @Override
  public void setBounds(Bounds bounds) {
    ceiling = bounds.ceilingBitsPerSecond();
    guarantee = Math.min(bounds.guaranteeBitsPerSecond(), ceiling);
    if (bounds.weight() > 0 && bounds.weight() != Double.POSITIVE_INFINITY) {
      weight = bounds.weight();
    }
    rate = Math.min(rate, ceiling);
    settle();
  }

  /** The first share starts the control of the port. */
  @Override
  public void setShare(PortShare share) {
    if (share.expired() || share.unitShareBitsPerSecond() == 0) {
      forget();
      return;
    }
    unitShare = share.unitShareBitsPerSecond();
    capacity = share.capacityBitsPerSecond();
    newsReceived = true;
    shareIsNew |= !share.stale();
    if (!published) {
      published = true;
      double others = share.activeWeight() > 0 ? share.activeWeight() : 0;
      rate = weight * capacity / (others + weight);
      rate = Numbers.clamp(rate, minimum(), ceiling);
      settle();
    }
  }

  private void forget() {
    published = false;
    unitShare = 0;
    capacity = 0;
    rate = 0;
    marks = 0;
    delivered = 0;
    marked = 0;
    silentSteps = 0;
    quietSteps = 0;
    calmSteps = 0;
    unusedSteps = 0;
    probed = false;
    newsReceived = false;
    lastNews = 0;
    shareIsNew = false;
    lastShare = NEVER;
    noticed.forget();
    settle();
  }

  @Override
  public void takeNotice(long nowNanos, PortNotice notice) {
    noticed.take(nowNanos, notice);
  }

  @Override
  public long step(Interval interval) {
    boolean isMarked = observeMarks(interval);
    if (newsReceived || isMarked) {
      lastNews = interval.nowNanos;
      newsReceived = false;
    }
    if (shareIsNew) {
      lastShare = interval.nowNanos;
      shareIsNew = false;
    }
    // An interval without length measured nothing: the clock has jumped.
    if (published && interval.elapsedNanos > 0) {
      advance(interval, isMarked);
    }
    settle();
    return Math.round(limit);
  }

  /**
   * Says whether there were marks. An empty interval says nothing about the port: F is held for a
   * while before it counts as 0.
   */
  private boolean observeMarks(Interval interval) {
    noticed.uncover(interval);
    double packets = noticed.packets() + (double) interval.packets;
    double cePackets = noticed.marks() + (double) interval.cePackets;
    if (packets > 0) {
      marks = Math.min(cePackets / packets, 1);
      silentSteps = 0;
      return cePackets > 0;
    }
    silentSteps++;
    boolean held =
        noticed.governs()
            ? noticed.holds(interval.nowNanos)
            : silentSteps <= parameters.holdSteps();
    if (!held) {
      marks = 0;
    }
    return false;
  }

  private void advance(Interval interval, boolean isMarked) {
    double share = weight * unitShare;
    double perSecond = 8e9 / (double) interval.elapsedNanos;
    double measured = (double) interval.sentBytes * perSecond;
    delivered = (delivered + (double) interval.deliveredBytes * perSecond) / 2;
    if (noticed.governs()) {
      delivered = measured; // Nobody tells better.
    }
    if (isMarked) {
      marked = delivered;
    }
    quietSteps++;
    if (marks > 0) {
      quietSteps = 0;
    }
    if (interval.elsewhere && !isMarked && !noticed.governs()) {
      standBy(share, interval.elapsedNanos);
      return;
    }
    count(interval.backlogged, share, measured);

    // What was delivered, not what was sent: while the queue grows the latter says nothing.
    if (marks > 0 && probed) {
      rate = Math.min(rate, parameters.reentryHeadroom() * Math.max(share, delivered));
      probed = false;
    }
    noticed.setGains(capacity, interval.elapsedNanos);
    if (unusedSteps >= parameters.patienceSteps()) {
      rate = Math.max(share, (rate + measured) / 2);
    } else if (calmSteps >= parameters.patienceSteps()) {
      rate *= noticed.probe();
      probed = true;
    } else {
      rate +=
          (noticed.increase() + noticed.pull() * pull(share, interval.nowNanos)) * share
              - noticed.decrease() * marks * rate;
    }
    if (noticed.isControllerSilent(interval.nowNanos, lastShare)) {
      rate = Math.min(rate, share);
    }
    rate = Numbers.clamp(rate, minimum(), ceiling);
  }

  /**
   * For a port whose packets all obey lower limits of other ports: their marks, or that there are
   * none, say nothing about this one. So it neither cuts nor probes; what it may have found once is
   * forgotten within T_o, and R returns to the share.
   */
  private void standBy(double share, long elapsedNanos) {
    marks = 0;
    probed = false;
    calmSteps = 0;
    unusedSteps = 0;
    double part = Math.min((double) elapsedNanos / (double) parameters.quietNanos(), 1);
    rate += (share - rate) * part;
    rate = Numbers.clamp(rate, minimum(), ceiling);
  }

  private double pull(double share, long nowNanos) {
    double distance = noticed.centre() - rate / share;
    if (quietSteps > parameters.patienceSteps() || distance < -parameters.pullSpan()) {
      return 0;
    }
    double pull = Numbers.clamp(distance, -parameters.pullReach(), parameters.pullReach());
    if (pull <= 0) {
      return pull;
    }
    return nowNanos - lastShare >= parameters.staleNanos() ? 0 : pull * (1 - marks);
  }

  /** A backlogged class is never unused, however little an interval of a slow class may measure. */
  private void count(boolean backlogged, double share, double measured) {
    double reference = Math.max(share, marked);
    if (backlogged && marks == 0 && rate >= parameters.probeMargin() * reference) {
      calmSteps++;
    } else {
      calmSteps = 0;
    }
    if (!backlogged && measured < rate / 2) {
      unusedSteps++;
    } else {
      unusedSteps = 0;
    }
  }

  private void settle() {
    if (!published) {
      limit = ceiling;
      return;
    }
    double ducked = rate * (1 - noticed.duck() * marks);
    limit = Numbers.clamp(ducked, guarantee, ceiling);
  }

  private double minimum() {
    return parameters.minimumShare() * weight * unitShare;
  }

  @Override
  public double limitBitsPerSecond() {
    return limit;
  }

  @Override
  public boolean isIdle(long nowNanos) {
    if (!published) {
      return true;
    }
    // Where notices alone tell of marks none come without a controller: it ends what it began.
    return !noticed.governs() && !newsReceived && nowNanos - lastNews >= parameters.quietNanos();
  }
}
