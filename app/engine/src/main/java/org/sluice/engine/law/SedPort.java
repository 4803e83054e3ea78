// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * A port as SED sees it (Lu, "SED: An SDN-Based Explicit-Deadline-Aware TCP for Cloud Data Center
 * Networks", sections 3.3 and 3.6): its total window (equation 3) and whether it is congested
 * (figure 3).
 *
 * <pre>
 * T_win = K + C_avail RTT_base + slack     bytes
 * </pre>
 *
 * <p>K is the queue, in bytes, from which on a port is congested; C_avail what it carries of TCP
 * payload, in bytes/s, less what is not under grant; RTT_base the mean round trip without queues of
 * the flows that send through it; the slack is {@link WindowSlack}'s. The paper takes C and the
 * measured mean RTT_avg, of which the queue is a part: its T_win grows with each computation. Under
 * {@link WindowScheme#SED} RTT_base is the measured one.
 *
 * <p>Congestion begins with K bytes in the queue, or when the first windows of those that have just
 * begun would overfill it, or when flows might send more than T_win at once. It ends when the queue
 * has been under K/2 for ten round trips, no flow with a deadline is left, and what the others
 * would send at once fits into T_win: with the windows summing to T_win the queue stands at K, so
 * that the paper's "below K" would end it at every dip; and where many wait with closed windows, as
 * late ones do, their release would be the incast over again.
 */
public abstract class SedPort {
  /** Round trips that the queue has to be short for before the port counts as free. */
  public static final int CALM_ROUND_TRIPS = 10;

  private double capacityBytesPerSecond;
  private long configuredThresholdBytes;
  private long thresholdBytes;
  private double standingNanos;
  private double ungovernedBytesPerSecond;
  private double roundTripNanos;

  private final BufferPlaces places = new BufferPlaces();
  private final WindowSlack slack = new WindowSlack();
  private final CarriedPart carried = new CarriedPart();
  private boolean hasSlack = true;
  private long backlogBytes;
  private boolean congested;
  private long calmSinceNanos;

  /** Whether windows may be handed out here at all. */
  private boolean governed = true;

  // Of the present round of allocation.
  private double budgetBytes;
  private double unneededBytes;
  private double freeBytes;
  private int others;
  private double firstBytes;
  private SedFlow mostUrgent;

  /** What flows without a deadline have of T_win in any case, bytes. */
  protected abstract double baseWindowsBytes();

  /**
   * Sets what the port can carry and the queue that it may have.
   *
   * @param payloadBytesPerSecond C, of TCP payload, above 0
   * @param queueThresholdBytes K, above 0
   */
  public final void configure(double payloadBytesPerSecond, long queueThresholdBytes) {
    capacityBytesPerSecond = payloadBytesPerSecond;
    configuredThresholdBytes = queueThresholdBytes;
    fitIntoBuffer();
  }

  /**
   * Sets what the queue has space for: windows never hold more than that.
   *
   * @param bytes of payload, above 0; {@link Double#MAX_VALUE} if it is not known
   */
  public final void setBuffer(double bytes) {
    places.setBuffer(bytes);
    fitIntoBuffer();
  }

  /**
   * Connections are about to begin together.
   *
   * @param placesBytes what their handshakes need in the buffer
   * @param leastBytes what is for windows all the same
   */
  protected final void expectBeginnings(double placesBytes, double leastBytes) {
    // As printed nothing of it is known.
    if (places.keepForBeginnings(hasSlack ? placesBytes : 0, leastBytes)) {
      fitIntoBuffer();
    }
  }

  private void fitIntoBuffer() {
    double forWindows = places.bytes();
    thresholdBytes = (long) Math.max(1, Math.min(configuredThresholdBytes, forWindows));
    standingNanos = thresholdBytes * 1e9 / capacityBytesPerSecond;
    slack.setMost(forWindows - thresholdBytes);
  }

  /** Sets whether T_win has a slack. */
  public final void setHasSlack(boolean value) {
    hasSlack = value;
  }

  private double slackBytes() {
    return hasSlack ? slack.bytes() : 0;
  }

  /** Sets what passes without a grant: other protocols, and flows that are not known. */
  public final void setUngoverned(double bytesPerSecond) {
    ungovernedBytesPerSecond = bytesPerSecond;
  }

  public final void setRoundTripNanos(double nanos) {
    roundTripNanos = nanos;
  }

  /** C, bytes/s. */
  protected final double capacityBytesPerSecond() {
    return capacityBytesPerSecond;
  }

  /** RTT_base of the flows through it, on average, ns. */
  public final double roundTripNanos() {
    return roundTripNanos;
  }

  // ---------------------------------------------------------------- equation 3

  /** C_avail: C less what is not under grant; at least a tenth of C. */
  public final double availableBytesPerSecond() {
    return Math.max(capacityBytesPerSecond / 10, capacityBytesPerSecond - ungovernedBytesPerSecond);
  }

  /** T_win, bytes. */
  public final double totalWindowBytes() {
    return heldBytes(availableBytesPerSecond(), roundTripNanos) + slackBytes();
  }

  /** The window with which one flow alone fills it, with K in the queue, bytes. */
  final double fillingBytes(long baseRoundTripNanos) {
    return heldBytes(capacityBytesPerSecond, baseRoundTripNanos) + slackBytes();
  }

  /**
   * What each of so many that have not begun may begin with if all may together what the port and a
   * queue of K hold, bytes.
   */
  final double firstShareBytes() {
    return heldBytes(capacityBytesPerSecond, roundTripNanos) / Math.max(1, awaited());
  }

  /** What the port and a queue of K hold is there to be given to those that have not begun. */
  public final void openFirst() {
    firstBytes = heldBytes(capacityBytesPerSecond, roundTripNanos);
  }

  /** What is left of that, bytes. */
  final double firstLeftBytes() {
    return firstBytes;
  }

  final void takeFirst(double bytes) {
    firstBytes -= bytes;
  }

  /** How many flows through it are registered and have not begun. */
  protected abstract int awaited();

  /** What a path of this round trip and a queue of K hold, bytes. */
  private double heldBytes(double bytesPerSecond, double nanos) {
    return SedLaw.totalWindowBytes(thresholdBytes, bytesPerSecond, nanos);
  }

  /** K/C: how long K takes to drain, which is what a full T_win adds to a round trip, ns. */
  public final double standingNanos() {
    return standingNanos;
  }

  /** How long a full buffer takes to drain, ns; 0 if it is not known. */
  public final double bufferNanos() {
    return places.nanos(capacityBytesPerSecond);
  }

  /** How long what stands in the queue takes to drain, and K at least, ns. */
  public final double queueNanos() {
    return Math.max(thresholdBytes, backlogBytes) * 1e9 / capacityBytesPerSecond;
  }

  // ---------------------------------------------------------------- figure 3

  public final boolean isGoverned() {
    return governed;
  }

  public final boolean isCongested() {
    return congested;
  }

  /** Whether its queue was shorter than K when it was last seen. */
  public final boolean isBelowThreshold() {
    return !SedLaw.isCongested(backlogBytes, thresholdBytes);
  }

  /**
   * The queue was seen at this length.
   *
   * @param deliveredBytes that have passed the port since the beginning
   * @return whether congestion has begun
   */
  protected final boolean queue(long bytes, double deliveredBytes, long nowNanos) {
    backlogBytes = bytes;
    slack.update(bytes, thresholdBytes, deliveredBytes, capacityBytesPerSecond, nowNanos);
    if (bytes >= thresholdBytes / 2) {
      calmSinceNanos = nowNanos;
    }
    return SedLaw.isCongested(bytes, thresholdBytes) && begin(nowNanos);
  }

  /**
   * Whether congestion begins with what comes with first windows of flows that have begun.
   *
   * @param firstBytes all of that
   */
  protected final boolean burst(double firstBytes, long nowNanos) {
    return firstBytes > totalWindowBytes() && begin(nowNanos);
  }

  /**
   * Whether congestion begins with what flows might send, if one of them has a deadline.
   *
   * @param withDeadline how many of those that send, or may begin at any time, have one
   * @param withBase how many have a base window
   * @param releasedBytes what all of them would send at once if they were let
   */
  protected final boolean contend(
      int withDeadline, int withBase, double releasedBytes, long nowNanos) {
    return withDeadline > 0
        && withDeadline + withBase > 1
        && releasedBytes > totalWindowBytes()
        && begin(nowNanos);
  }

  /** Congestion begins; returns whether it was not there yet. */
  private boolean begin(long nowNanos) {
    if (!governed) {
      return false;
    }
    calmSinceNanos = nowNanos;
    boolean isNew = !congested;
    congested = true;
    return isNew;
  }

  /** Whether nothing but what a release would bring keeps congestion from ending. */
  protected final boolean isCalm(int withDeadline, long nowNanos) {
    return congested
        && withDeadline == 0
        && nowNanos - calmSinceNanos >= CALM_ROUND_TRIPS * roundTripNanos;
  }

  /** Ends congestion if it is time to; returns whether it has just ended. */
  protected final boolean recover(int withDeadline, double releasedBytes, long nowNanos) {
    if (isCalm(withDeadline, nowNanos) && releasedBytes <= totalWindowBytes()) {
      congested = false;
      return true;
    }
    return false;
  }

  /** Sets who hands out windows here; returns whether congestion has just ended by that. */
  public final boolean govern(boolean byThisNode) {
    governed = byThisNode;
    boolean ended = congested && !byThisNode;
    congested &= byThisNode;
    return ended;
  }

  // ---------------------------------------------------------------- a round of allocation

  /** T_win is there to be divided, but what the flows with base windows have of it anyway. */
  final void openBudget() {
    freeBytes = totalWindowBytes();
    budgetBytes = freeBytes - baseWindowsBytes();
    unneededBytes = budgetBytes;
    places.open(availableBytesPerSecond() * roundTripNanos / 1e9);
    others = 0;
    mostUrgent = null;
  }

  /** One with a deadline takes part; to be called in the order of their priority. */
  final void offerMostUrgent(SedFlow flow) {
    if (mostUrgent == null) {
      mostUrgent = flow;
    }
  }

  @SuppressWarnings("ReferenceEquality") // A flow is one object.
  final boolean isMostUrgent(SedFlow flow) {
    return mostUrgent == flow;
  }

  final double budgetBytes() {
    return budgetBytes;
  }

  /** What of T_win is not held, or to be held. */
  final double freeBytes() {
    return freeBytes;
  }

  /** What of the buffer and of the path nothing that may be in transit takes, bytes. */
  final double placesBytes() {
    return places.leftBytes();
  }

  /**
   * A window holds so much of T_win.
   *
   * @param inTransitBytes what may be in transit of its flow
   */
  final void hold(double bytes, double inTransitBytes) {
    freeBytes -= bytes;
    places.take(inTransitBytes);
  }

  /** One with a deadline gets so much. */
  final void spend(double bytes) {
    budgetBytes -= bytes;
    unneededBytes -= bytes;
  }

  /** One without a deadline, which holds so much, is to have its part of what is left. */
  final void expectOther(double heldBytes, double inTransitBytes) {
    hold(heldBytes, inTransitBytes);
    others++;
  }

  /** What is left for each of those that are expected, bytes; may be below 0. */
  final double fairBytes() {
    return SedLaw.fairShareBytes(budgetBytes, others);
  }

  /** One of those that are expected gets so much. */
  final void serveOther(double bytes) {
    budgetBytes -= bytes;
    others--;
  }

  // ---------------------------------------------------------------- what can be promised

  /**
   * Learns what it carries, after windows have been divided, if they have.
   *
   * @param leastBytes with less than that left, those with a deadline have all of T_win
   * @param deliveredBytes of all flows with windows, base windows included, that have passed it
   *     since the beginning
   */
  protected final void learnCarried(double leastBytes, double deliveredBytes, long nowNanos) {
    boolean full = congested && unneededBytes < leastBytes;
    carried.update(full, deliveredBytes, availableBytesPerSecond(), nowNanos);
  }

  /** What was learnt is so old by now. */
  public final void ageCarried(long nowNanos) {
    carried.age(nowNanos);
  }

  /** The part of its capacity that it was seen to carry, up to 1 ({@link CarriedPart}). */
  final double carriedPart() {
    return carried.part();
  }
}
