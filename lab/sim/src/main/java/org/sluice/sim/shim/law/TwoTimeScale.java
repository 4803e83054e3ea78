// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The host's half of Sluice's law, for one endpoint i and one port p. The controller solves
 * weighted max-min over all ports and publishes what weight 1 may send through p, u_p; shares sum
 * to a little less than the port carries, so that at rest nothing is marked. This runs every tau:
 *
 * <pre>  r = x s      s = max(floor, w u_p)      x = 1 at rest</pre>
 *
 * <p>A mark is an error, and x falls: x &lt;- min(1, x + a - b F x), with F the part of packets
 * that carried CE; without marks it returns to 1 within a few steps. What is due to others who do
 * not send it now is lent to those who wait, on the controller's word: then x rises above 1 until
 * there are marks, falls to a part of what caused them, and ducks under it while they last. {@code
 * docs/two-time-scale-law.md} explains all of it.
 */
public final class TwoTimeScale implements HostLaw {
  private static final double PACKET_BITS = 1500 * 8;

  /** F is held for so many packets at the limit if that takes longer than holdSteps. */
  private static final double HELD_PACKETS = 2;

  /** A loan that marks leave less of is returned. */
  private static final double LEAST_LOAN = 0.01;

  /** More marks than that after the first ones show that a loan is still too large. */
  private static final double MANY_MARKS = 0.5;

  /** What is left of it by a step of those. */
  private static final double STILL_KEPT_PART = 0.9;

  /** After so many of these it is returned: others who cross the port have none. */
  private static final int MOST_MARKED_STEPS = 12;

  /** What a step without backlog leaves of a loan. */
  private static final double UNUSED_PART = 0.9;

  /** What a step leaves of a loan that is more than is lent now. */
  private static final double RETURNED_PART = 0.8;

  /** A loan returns to what it was before the marks by one part in so many of what is missing. */
  private static final double RETURN_STEPS = 4;

  /** The same for what a burst took of the share. */
  private static final double RECOVERY_STEPS = 3;

  /** Where marks stay a step is one part in so many. */
  private static final double SMALL_STEPS = 8;

  /** After so many steps with all of the share it is a burst that marks. */
  private static final int BURST_STEPS = 40;

  private final TwoTimeScaleParameters parameters;
  private final NoticeEvidence notices;

  private double ceiling;
  private double guarantee;
  private double weight = 1;

  private boolean published;
  private double unitShare;
  private boolean equalCost;

  private double factor = 1;
  private double marks;
  private double ducked = 1;

  /** In the last step in which any were. */
  private double reportedPackets;

  private int unreportedSteps;

  // The last cut:
  private int wholeSteps;
  private boolean wasBurst;
  private boolean isRising;
  private boolean isFirstCut;

  // The loan:
  private final double[] earlierLoans;
  private int earliest;
  private double sustainedLoan;
  private int unmarkedSteps;
  private int markedSteps;

  private boolean wasUpdated;
  private long lastUpdate;

  /** The law of traffic that nothing limits yet. */
  public TwoTimeScale(TwoTimeScaleParameters parameters) {
    this.parameters = parameters;
    this.notices = new NoticeEvidence(parameters);
    this.earlierLoans = new double[parameters.delaySteps()];
  }

  @Override
  public void setBounds(Bounds bounds) {
    ceiling = bounds.ceilingBitsPerSecond();
    guarantee = Math.min(bounds.guaranteeBitsPerSecond(), ceiling);
    if (bounds.weight() > 0 && bounds.weight() != Double.POSITIVE_INFINITY) {
      weight = bounds.weight();
    }
  }

  /** The first share starts the control of the port. */
  @Override
  public void setShare(PortShare share) {
    if (share.expired() || share.unitShareBitsPerSecond() == 0) {
      published = false;
      factor = 1;
      ducked = 1;
      marks = 0;
      notices.forget();
      return;
    }
    published = true;
    unitShare = share.unitShareBitsPerSecond();
    equalCost = share.equalCost();
    wasUpdated = true;
  }

  @Override
  public void takeNotice(long nowNanos, PortNotice notice) {
    notices.take(nowNanos, notice);
  }

  @Override
  public long step(Interval interval) {
    boolean isNew = observeMarks(interval);
    if (wasUpdated || isNew && marks > 0) {
      lastUpdate = interval.nowNanos;
      wasUpdated = false;
    }
    // An interval without length measured nothing: the clock has jumped.
    if (published && interval.elapsedNanos > 0) {
      advance(interval, isNew);
    }
    return Math.round(limitBitsPerSecond());
  }

  /**
   * Takes an interval's marks; true if anything was reported. An empty interval is no evidence: F
   * is held for a while before it counts as 0.
   */
  private boolean observeMarks(Interval interval) {
    notices.uncover(interval);
    double packets = notices.packets() + (double) interval.packets;
    double cePackets = notices.marks() + (double) interval.cePackets;
    if (packets > 0) {
      marks = Math.min(cePackets / packets, 1);
      reportedPackets = packets;
      unreportedSteps = 0;
      return true;
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

  /**
   * How long a full packet takes at the limit, ns, where reports are of single packets; 0 where
   * they are of more.
   */
  private double packetNanos() {
    return reportedPackets <= 1 ? PACKET_BITS * 1e9 / Math.max(limitBitsPerSecond(), 1) : 0;
  }

  /** Evidence counts once: a source of few packets learns nothing in most steps. */
  private void advance(Interval interval, boolean isNew) {
    if (interval.governedElsewhere && !notices.governs()) {
      factor = 1;
      ducked = 1;
      return;
    }
    boolean hadLoan = factor > 1;
    if (equalCost ? isNew || unreportedSteps > parameters.holdSteps() : isNew || marks == 0) {
      if (equalCost) {
        factor = atEqualCost(interval);
      } else if (factor < 1 || factor == 1 && marks > 0) {
        factor = Math.min(1, factor + gain());
      } else {
        factor = 1 + loan(interval);
      }
      wholeSteps = factor < 1 ? 0 : wholeSteps + 1;
      earlierLoans[earliest] = factor - 1;
      earliest = (earliest + 1) % earlierLoans.length;
    }
    double most = 1 + parameters.mostLoans() * interval.lentPart;
    if (factor > most) {
      factor = Math.max(most, 1 + (factor - 1) * RETURNED_PART);
      factor = factor - 1 < LEAST_LOAN && interval.lentPart == 0 ? 1 : factor;
    }
    factor = Math.max(factor, parameters.leastFactor());
    // Under the share, too: what waits in the queue has to leave it.
    boolean ducks = !equalCost && (hadLoan || factor > 1);
    ducked = ducks ? factor * (1 - parameters.proportionalGain() * marks) : factor;
  }

  /**
   * The next x where more than its part may have come to the port, or less: all who cross it come
   * to the same x, above 1 or below, and marks stay. So steps are small, but for the first cut and
   * after a burst.
   */
  private double atEqualCost(Interval interval) {
    if (factor >= 1 && marks == 0 && !interval.backlogged) {
      return 1 + (factor - 1) * UNUSED_PART;
    }
    double gain = gain();
    boolean isSmall = factor > 1 || !wasBurst && !(isFirstCut && marks > 0);
    return factor + (isSmall ? gain / SMALL_STEPS : gain);
  }

  /**
   * What a step gives to x, or takes. After a burst shares are as right as they were, and the queue
   * is empty; where marks come again before x is back, or soon after, they are not.
   */
  private double gain() {
    double gain = parameters.recoveryGain();
    if (marks > 0) {
      isFirstCut = factor == 1 || isFirstCut && !isRising && factor < 1;
      wasBurst = factor >= 1 ? wholeSteps >= BURST_STEPS : wasBurst && !isRising;
      isRising = false;
      gain -= parameters.cutGain() * marks * factor;
    } else {
      isRising = true;
      gain = wasBurst ? Math.max(gain, (1 - factor) / RECOVERY_STEPS) : gain;
    }
    return gain;
  }

  /**
   * The next loan, in shares. The first marks are the work of some steps ago: what was sustained
   * until then is remembered, and approached again; what is lent now is, once marks have gone.
   */
  private double loan(Interval interval) {
    double loan = factor - 1;
    if (marks > 0) {
      if (unmarkedSteps > 0) {
        sustainedLoan = Math.min(loan, earlierLoans[earliest]);
        loan = parameters.keptPart() * sustainedLoan;
        markedSteps = 0;
      } else if (marks > MANY_MARKS) {
        boolean isKept = ++markedSteps < MOST_MARKED_STEPS && loan >= LEAST_LOAN;
        loan = isKept ? loan * STILL_KEPT_PART : 0;
        sustainedLoan = loan;
      }
      unmarkedSteps = 0;
      return loan;
    }
    unmarkedSteps++;
    if (!interval.backlogged) {
      return loan * UNUSED_PART;
    }
    double gain = parameters.loanGain() * interval.lentPart;
    double goal = Math.min(sustainedLoan, parameters.mostLoans() * interval.lentPart);
    if (unmarkedSteps > parameters.patienceSteps()) {
      goal = Math.max(goal, interval.lentPart);
    }
    if (loan < goal) {
      return loan + Math.max((goal - loan) / RETURN_STEPS, gain);
    }
    double faster = gain * (1 + unmarkedSteps / parameters.patienceSteps());
    return loan + Math.min(faster, parameters.mostLoanGain() * interval.lentPart);
  }

  @Override
  public boolean usesShares() {
    return true;
  }

  /** What the endpoint is due at the port is its least: marks cut no guarantee. */
  @Override
  public double limitBitsPerSecond() {
    if (!published) {
      return ceiling;
    }
    double share = Math.max(guarantee, weight * unitShare);
    return Numbers.clamp(ducked * share, guarantee, ceiling);
  }

  /** Neither a share nor a mark has come for T_o. */
  @Override
  public boolean isIdle(long nowNanos) {
    return !published || !wasUpdated && nowNanos - lastUpdate >= parameters.quietNanos();
  }
}
