// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.PortId;

/**
 * A port as SED sees it: capacity, queue, and whether it is congested (Figure 3). Congestion begins
 * with K bytes in the queue, or when the first windows of those that have just begun would overfill
 * it. It ends when the queue has been under K/2 for ten round trips, no flow with a deadline is
 * left, and what the others would send at once fits into T_win: with the windows summing to T_win
 * the queue stands at K, so that the paper's "below K" would end it at every dip; and where many
 * wait with closed windows, as late ones do, their release would be the incast over again.
 */
final class DeadlinePort {
  /** The part of the payload capacity that is promised. */
  static final double USABLE = 0.95;

  /** Round trips that the queue has to be short for before the port counts as free. */
  static final int CALM_ROUND_TRIPS = 10;

  final PortId id;
  private double capacityBytesPerSecond;
  private long thresholdBytes;
  private double standingNanos;
  private double ungovernedBytesPerSecond;
  private double roundTripNanos;

  private final WindowSlack slack = new WindowSlack();
  private long backlogBytes;
  private boolean congested;
  private long calmSinceNanos;

  // Of the present round of allocation.
  private double budgetBytes;
  private double roomBytes;
  private int others;

  // Of the flows that send.
  private int flowsWithDeadline;
  private int flowsWithBase;
  private int flows;
  private long leastRoundTripSum;
  private long latestRoundTripSum;
  private double baseWindowBytes;
  private double releasedBytes;

  /** Of those that are registered and have not begun. */
  private int awaited;

  // Of promises, and of the present round of rates.
  private double reservedBytesPerSecond;
  private boolean yields;
  private double rateBytesPerSecond;

  /** What of all flows through it has arrived, bytes. */
  private double deliveredBytes;

  // What will come with the first windows of those that have begun.
  private double firstBytes;

  /** Whether windows may be handed out here at all. */
  private boolean governed = true;

  DeadlinePort(PortId id) {
    this.id = id;
  }

  /**
   * Sets what the port can carry and the queue that it may have.
   *
   * @param payloadBytesPerSecond of TCP payload, above 0
   * @param queueThresholdBytes K, above 0
   */
  void configure(double payloadBytesPerSecond, long queueThresholdBytes) {
    capacityBytesPerSecond = payloadBytesPerSecond;
    thresholdBytes = queueThresholdBytes;
    standingNanos = queueThresholdBytes * 1e9 / payloadBytesPerSecond;
  }

  /** Sets what passes without a grant: other protocols, and flows that are not known. */
  void setUngoverned(double bytesPerSecond) {
    ungovernedBytesPerSecond = bytesPerSecond;
  }

  void setRoundTripNanos(double nanos) {
    roundTripNanos = nanos;
  }

  /** A flow through it sends, as it is now. */
  void join(GifRow row) {
    count(row, 1);
  }

  /** A flow through it, as it is now, sends no longer. */
  void leave(GifRow row) {
    count(row, -1);
  }

  /** Exact however many come and go: no sum is of fractions. */
  private void count(GifRow row, int change) {
    flows += change;
    flowsWithDeadline += row.hasDeadline() ? change : 0;
    flowsWithBase += row.hasBase() ? change : 0;
    addRoundTrips(change * row.baseRoundTripNanos, change * row.roundTripNanos);
  }

  /** So many more, or fewer, flows through it are registered and have not begun. */
  void await(int change) {
    awaited += change;
  }

  /**
   * What each of those that have not begun may begin with if all may together what the port and a
   * queue of K hold, bytes.
   */
  double firstShareBytes() {
    return heldBytes(capacityBytesPerSecond, roundTripNanos) / Math.max(1, awaited);
  }

  /** The round trips of the flows that send through it have grown by so much, all together, ns. */
  void addRoundTrips(long leastNanos, long latestNanos) {
    leastRoundTripSum += leastNanos;
    latestRoundTripSum += latestNanos;
  }

  /**
   * RTT_base becomes the mean of those that send through it; without any it stays as it was.
   *
   * @param latest of the latest round trips, as the paper's law has it, instead of the least
   */
  void measureRoundTrip(boolean latest) {
    if (flows > 0) {
      roundTripNanos = (double) (latest ? latestRoundTripSum : leastRoundTripSum) / flows;
    }
  }

  /** RTT_base of the flows through it, on average, ns. */
  double roundTripNanos() {
    return roundTripNanos;
  }

  /** C_avail: payload capacity less what is not under grant; at least a tenth of the capacity. */
  double availableBytesPerSecond() {
    return Math.max(capacityBytesPerSecond / 10, capacityBytesPerSecond - ungovernedBytesPerSecond);
  }

  /** T_win = K + C_avail RTT_base (equation 3 with the base round trip) and the slack, bytes. */
  double totalWindowBytes() {
    return heldBytes(availableBytesPerSecond(), roundTripNanos) + slack.bytes();
  }

  /** The window with which one flow alone fills it, with K in the queue, bytes. */
  double fillingBytes(long baseRoundTripNanos) {
    return heldBytes(capacityBytesPerSecond, baseRoundTripNanos) + slack.bytes();
  }

  /** What a way of this round trip and a queue of K hold, bytes. */
  private double heldBytes(double bytesPerSecond, double nanos) {
    return thresholdBytes + bytesPerSecond * nanos / 1e9;
  }

  boolean isGoverned() {
    return governed;
  }

  /** How long K takes to drain: what a full T_win adds to a round trip, ns. */
  double standingNanos() {
    return standingNanos;
  }

  /** How long what stands in the queue takes to drain, and K at least, ns. */
  double queueNanos() {
    return Math.max(thresholdBytes, backlogBytes) * 1e9 / capacityBytesPerSecond;
  }

  boolean isCongested() {
    return congested;
  }

  /** The queue was seen at this length; returns whether congestion has begun. */
  boolean queue(long bytes, long nowNanos) {
    backlogBytes = bytes;
    slack.look(bytes, thresholdBytes, deliveredBytes, capacityBytesPerSecond, nowNanos);
    if (bytes >= thresholdBytes / 2) {
      calmSinceNanos = nowNanos;
    }
    return bytes >= thresholdBytes && begin(nowNanos);
  }

  /** Whether its queue was shorter than K when it was last seen. */
  boolean isBelowThreshold() {
    return backlogBytes < thresholdBytes;
  }

  void addDelivered(double bytes) {
    deliveredBytes += bytes;
  }

  double deliveredBytes() {
    return deliveredBytes;
  }

  /** So much comes, or no longer comes, with first windows of flows that have begun. */
  void addFirst(double bytes) {
    firstBytes += bytes;
  }

  /** Whether congestion begins with what comes with the first windows of flows that have begun. */
  boolean burst(long nowNanos) {
    return firstBytes > totalWindowBytes() && begin(nowNanos);
  }

  /**
   * Whether congestion begins with what flows might send, if one of them has a deadline; to be
   * asked when all of that has been summed up.
   */
  boolean contend(long nowNanos) {
    return flowsWithDeadline > 0
        && flowsWithDeadline + flowsWithBase > 1
        && releasedBytes > totalWindowBytes()
        && begin(nowNanos);
  }

  /** Congestion begins; returns whether it was not there yet. */
  private boolean begin(long nowNanos) {
    if (!governed) {
      return false;
    }
    calmSinceNanos = nowNanos;
    boolean news = !congested;
    congested = true;
    return news;
  }

  /** Begins to sum up what flows through it would send at once if they were let. */
  void openRelease() {
    releasedBytes = 0;
  }

  void addReleased(double bytes) {
    releasedBytes += bytes;
  }

  /** Whether nothing but what a release would bring keeps congestion from ending. */
  boolean isCalm(long nowNanos) {
    return congested
        && flowsWithDeadline == 0
        && nowNanos - calmSinceNanos >= CALM_ROUND_TRIPS * roundTripNanos;
  }

  /** Says who hands out windows here; returns whether congestion has just ended by that. */
  boolean govern(boolean byThisNode) {
    governed = byThisNode;
    boolean ended = congested && !byThisNode;
    congested &= byThisNode;
    return ended;
  }

  /** Ends congestion if it is time to; returns whether it has just ended. */
  boolean recover(long nowNanos) {
    if (isCalm(nowNanos) && releasedBytes <= totalWindowBytes()) {
      congested = false;
      return true;
    }
    return false;
  }

  // ---------------------------------------------------------------- a round of allocation

  /** T_win is there to be divided, but what the flows with base windows have of it anyway. */
  void openBudget() {
    roomBytes = totalWindowBytes();
    budgetBytes = roomBytes - flowsWithBase * baseWindowBytes;
    others = 0;
  }

  double budgetBytes() {
    return budgetBytes;
  }

  /** What of T_win nobody holds, or is to hold. */
  double roomBytes() {
    return roomBytes;
  }

  void hold(double bytes) {
    roomBytes -= bytes;
  }

  void spend(double bytes) {
    budgetBytes -= bytes;
  }

  /** One without a deadline, which holds so much, is to have its part of what is left. */
  void expectOther(double heldBytes) {
    hold(heldBytes);
    others++;
  }

  /** What is left for each of those that are expected, bytes; may be below 0. */
  double fairBytes() {
    return budgetBytes / others;
  }

  /** One of those that are expected gets so much. */
  void serveOther(double bytes) {
    spend(bytes);
    others--;
  }

  // ---------------------------------------------------------------- promises

  /** What a flow without a deadline always has, bytes. */
  void setBaseWindow(double bytes) {
    baseWindowBytes = bytes;
  }

  /**
   * Sets what is not promised although nothing uses it now, and whether all the rest may be: what
   * is not under grant then yields.
   */
  void setReserved(double bytesPerSecond, boolean restYields) {
    reservedBytesPerSecond = bytesPerSecond;
    yields = restYields;
  }

  /** What there is to promise: a part of the capacity less the base windows of others, bytes/s. */
  double promisableBytesPerSecond() {
    double fullRoundTrip = roundTripNanos + standingNanos();
    double base = flowsWithBase * baseWindowBytes * 1e9 / fullRoundTrip;
    double usable = yields ? capacityBytesPerSecond : availableBytesPerSecond();
    return Math.max(0, USABLE * usable - base - reservedBytesPerSecond);
  }

  /** Opens what promised flows may be let through beyond their sources' shares, bytes/s. */
  void openRate(double part) {
    rateBytesPerSecond = Math.max(0, part * capacityBytesPerSecond - reservedBytesPerSecond);
  }

  double rate() {
    return rateBytesPerSecond;
  }

  void takeRate(double bytesPerSecond) {
    rateBytesPerSecond -= bytesPerSecond;
  }
}
