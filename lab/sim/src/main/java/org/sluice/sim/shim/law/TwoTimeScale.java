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
 * limit that is not used does not grow. Where receivers report no marks, notices do ({@link
 * NoticeEvidence}). {@code docs/two-time-scale-law.md} explains all of it.
 */
public final class TwoTimeScale implements HostLaw {
  private static final long NEVER = Long.MIN_VALUE / 2;
  private static final double PACKET_BITS = 1500 * 8;

  /** F is held for so many packets at the limit if that takes longer than holdSteps. */
  private static final double HELD_PACKETS = 2;

  private final TwoTimeScaleParameters parameters;
  private final NoticeEvidence notices;
  private final StepGains gains;

  private double ceiling;
  private double guarantee;
  private double weight = 1;

  private boolean published;
  private double unitShare;
  private double capacity;

  private double rate;
  private double marks;
  private double limit;

  /** In the last step in which any were. */
  private double reportedPackets;

  private double delivered;
  private double marked;

  // Steps in a row:
  private int unreportedSteps;
  private int unmarkedSteps;
  private int unmarkedBacklogSteps;
  private int unusedSteps;

  private boolean probed;
  private boolean wasUpdated;
  private long lastUpdate;
  private boolean hasNewShare;
  private long lastShare = NEVER;

  /** The law of traffic that nothing limits yet. */
  public TwoTimeScale(TwoTimeScaleParameters parameters) {
    this.parameters = parameters;
    this.notices = new NoticeEvidence(parameters);
    this.gains = new StepGains(parameters);
  }

  /** A new weight moves the reference, not the rate: the loop takes it there. */
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
    wasUpdated = true;
    hasNewShare |= !share.stale();
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
    reportedPackets = 0;
    delivered = 0;
    marked = 0;
    unreportedSteps = 0;
    unmarkedSteps = 0;
    unmarkedBacklogSteps = 0;
    unusedSteps = 0;
    probed = false;
    wasUpdated = false;
    lastUpdate = 0;
    hasNewShare = false;
    lastShare = NEVER;
    notices.forget();
    gains.useOwn();
    settle();
  }

  @Override
  public void takeNotice(long nowNanos, PortNotice notice) {
    notices.take(nowNanos, notice);
  }

  @Override
  public long step(Interval interval) {
    boolean isMarked = observeMarks(interval);
    if (wasUpdated || isMarked) {
      lastUpdate = interval.nowNanos;
      wasUpdated = false;
    }
    if (hasNewShare) {
      lastShare = interval.nowNanos;
      hasNewShare = false;
    }
    // An interval without length measured nothing: the clock has jumped.
    if (published && interval.elapsedNanos > 0) {
      advance(interval, isMarked);
    }
    settle();
    return Math.round(limit);
  }

  /**
   * Takes an interval's marks; true if there were any. An empty interval is no evidence: F is held
   * for a while before it counts as 0.
   */
  private boolean observeMarks(Interval interval) {
    notices.uncover(interval);
    double packets = notices.packets() + (double) interval.packets;
    double cePackets = notices.marks() + (double) interval.cePackets;
    if (packets > 0) {
      marks = Math.min(cePackets / packets, 1);
      reportedPackets = packets;
      unreportedSteps = 0;
      return cePackets > 0;
    }
    unreportedSteps++;
    boolean isHeld =
        notices.governs()
            ? notices.isValid(interval.nowNanos)
            : unreportedSteps <= parameters.holdSteps()
                || unreportedSteps * interval.elapsedNanos <= HELD_PACKETS * packetNanos();
    if (!isHeld) {
      marks = 0;
    }
    return false;
  }

  private void advance(Interval interval, boolean isMarked) {
    double share = weight * unitShare;
    double perSecond = 8e9 / (double) interval.elapsedNanos;
    double measured = (double) interval.sentBytes * perSecond;
    delivered = (delivered + (double) interval.deliveredBytes * perSecond) / 2;
    if (notices.governs()) {
      delivered = measured; // Receivers report less than that.
    }
    if (isMarked) {
      marked = delivered;
    }
    unmarkedSteps++;
    if (marks > 0) {
      unmarkedSteps = 0;
    }
    if (interval.governedElsewhere && !isMarked && !notices.governs()) {
      standby(share, interval.elapsedNanos);
      return;
    }
    count(interval.backlogged, share, measured);

    // What was delivered, not what was sent: while the queue grows the latter is no evidence.
    if (marks > 0 && probed) {
      rate = Math.min(rate, parameters.reentryHeadroom() * Math.max(share, delivered));
      probed = false;
    }
    setGains(interval.roundTripNanos, interval.elapsedNanos);
    if (unusedSteps >= parameters.patienceSteps()) {
      rate = Math.max(share, (rate + measured) / 2);
    } else if (unmarkedBacklogSteps >= parameters.patienceSteps()) {
      rate *= gains.probe();
      probed = true;
    } else {
      rate +=
          (gains.increase() + gains.pull() * pull(share, interval.nowNanos)) * share
              - gains.decrease() * marks * rate;
    }
    if (notices.isControllerSilent(interval.nowNanos, lastShare)) {
      rate = Math.min(rate, share);
    }
    rate = Numbers.clamp(rate, minimum(), ceiling);
  }

  /**
   * How long a full packet takes at the limit, ns, where reports are of single packets; 0 where
   * they are of more.
   */
  private double packetNanos() {
    return reportedPackets <= 1 ? PACKET_BITS * 1e9 / Math.max(limit, 1) : 0;
  }

  /**
   * Evidence is as old as the round trip, or comes no oftener than packets leave: a source that
   * sends less than one in a step learns nothing in most.
   */
  private void setGains(long roundTripNanos, long elapsedNanos) {
    double packetNanos = packetNanos();
    long delayNanos =
        packetNanos > elapsedNanos ? Math.max(roundTripNanos, (long) packetNanos) : roundTripNanos;
    if (notices.governs() && capacity > 0) {
      gains.useDelayed(capacity, notices.periodNanos(), elapsedNanos);
    } else if (capacity > 0 && delayNanos > 0) {
      gains.useDelayed(capacity, delayNanos, elapsedNanos);
    } else {
      gains.useOwn();
    }
  }

  /**
   * For a port all of whose packets are limited by other ports: their marks, or that there are
   * none, are no evidence about this one. So it neither cuts nor probes; what it may have found
   * once is forgotten, and R returns to the share, soon enough for the port to be obeyed again when
   * it is due to be.
   */
  private void standby(double share, long elapsedNanos) {
    marks = 0;
    probed = false;
    unmarkedBacklogSteps = 0;
    unusedSteps = 0;
    double part = Math.min((double) elapsedNanos / (double) parameters.standbyNanos(), 1);
    rate += (share - rate) * part;
    rate = Numbers.clamp(rate, minimum(), ceiling);
  }

  private double pull(double share, long nowNanos) {
    double distance = gains.centre() - rate / share;
    if (unmarkedSteps > parameters.patienceSteps()) {
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
      unmarkedBacklogSteps++;
    } else {
      unmarkedBacklogSteps = 0;
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
    double reduced = rate * (1 - gains.proportional() * marks);
    limit = Numbers.clamp(reduced, guarantee, ceiling);
  }

  private double minimum() {
    return parameters.minimumShare() * weight * unitShare;
  }

  @Override
  public boolean usesShares() {
    return true;
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
    // Notices need a controller: where they are the only evidence, it ends what it began.
    return !notices.governs() && !wasUpdated && nowNanos - lastUpdate >= parameters.quietNanos();
  }
}
