// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

import org.sluice.api.PortId;
import org.sluice.engine.law.PromisedRates;
import org.sluice.engine.law.SedAdmission;
import org.sluice.engine.law.SedPort;

/** A port and what is counted of the flows through it: {@link SedPort} makes decisions of that. */
final class DeadlinePort extends SedPort {
  final PortId id;

  // Of the flows that send.
  private int flowsWithDeadline;
  private int flowsWithBase;
  private int flows;
  private long leastRoundTripSum;
  private long latestRoundTripSum;

  /** The least round trip that one of them had since nobody sent, ns. */
  private long leastRoundTripNanos = Long.MAX_VALUE;

  private double baseWindowBytes;

  /** Whether the law holds those who send through it to shares of it. */
  private boolean shared;

  private double releasedBytes;

  /** Of those that are registered and have not begun. */
  private int awaited;

  /** Of these, in the present round, those that are about to begin. */
  private int beginning;

  // Of promises, and of the present round of rates.
  private double reservedBytesPerSecond;
  private boolean yields;
  private double rateBytesPerSecond;

  /** What of all flows through it has arrived, bytes. */
  private double deliveredBytes;

  /** What will come with the first windows of those that have begun, bytes. */
  private double firstBytes;

  DeadlinePort(PortId id) {
    this.id = id;
  }

  // ---------------------------------------------------------------- flows through it

  /** A flow through it sends, as it is now. */
  void join(GifRow row) {
    count(row, 1);
  }

  /** A flow through it, as it is now, sends no longer. */
  void leave(GifRow row) {
    count(row, -1);
  }

  /**
   * Exact however many come and go: no sum is of fractions. When the last one leaves RTT_base is
   * the least that one of them had: those that come next begin with windows for it, and the mean of
   * the last ones may have been measured in a full queue.
   */
  private void count(GifRow row, int change) {
    if (flows == 0) {
      leastRoundTripNanos = Long.MAX_VALUE;
    }
    flows += change;
    if (flows == 0 && leastRoundTripNanos < Long.MAX_VALUE) {
      setRoundTripNanos(leastRoundTripNanos);
    }
    flowsWithDeadline += row.hasDeadline() ? change : 0;
    flowsWithBase += row.hasBase() ? change : 0;
    addRoundTrips(change * row.baseRoundTripNanos, change * row.roundTripNanos);
  }

  /** So many more, or fewer, flows through it are registered and have not begun. */
  void await(int change) {
    awaited += change;
  }

  @Override
  protected int awaited() {
    return awaited;
  }

  void openBeginnings() {
    beginning = 0;
  }

  /** One more is about to begin. */
  void addBeginning() {
    beginning++;
  }

  /** All that are about to begin have been added: their handshakes need places in the buffer. */
  void closeBeginnings() {
    expectBeginnings(beginning * baseWindowBytes / 2, baseWindowBytes);
  }

  /** What a flow without a deadline always has, bytes. */
  void setBaseWindow(double bytes) {
    baseWindowBytes = bytes;
  }

  @Override
  protected double baseWindowsBytes() {
    return flowsWithBase * baseWindowBytes;
  }

  /** A flow that sends through it had this round trip, ns. */
  void measured(long nanos) {
    leastRoundTripNanos = Math.min(leastRoundTripNanos, nanos);
  }

  /** The round trips of the flows that send through it have grown by so much, all together, ns. */
  void addRoundTrips(long leastNanos, long latestNanos) {
    leastRoundTripSum += leastNanos;
    latestRoundTripSum += latestNanos;
  }

  /**
   * RTT_base becomes the mean of those that send through it; without any it stays as it was.
   *
   * @param latest of the latest round trips instead of the least
   */
  void measureRoundTrip(boolean latest) {
    if (flows > 0) {
      setRoundTripNanos((double) (latest ? latestRoundTripSum : leastRoundTripSum) / flows);
    }
  }

  void addDelivered(double bytes) {
    deliveredBytes += bytes;
  }

  double deliveredBytes() {
    return deliveredBytes;
  }

  /** Sets whether the law holds those who send through it to shares of it. */
  void setShared(boolean value) {
    shared = value;
  }

  boolean isShared() {
    return shared;
  }

  // ---------------------------------------------------------------- congestion

  /** The queue was seen at this length; returns whether congestion has begun. */
  boolean queue(long bytes, long nowNanos) {
    return queue(bytes, deliveredBytes, nowNanos);
  }

  /** So much comes, or no longer comes, with first windows of flows that have begun. */
  void addFirst(double bytes) {
    firstBytes += bytes;
  }

  /** Whether congestion begins with what comes with the first windows of flows that have begun. */
  boolean burst(long nowNanos) {
    return burst(firstBytes, nowNanos);
  }

  /** Begins to sum up what flows through it would send at once if they were let. */
  void openRelease() {
    releasedBytes = 0;
  }

  void addReleased(double bytes) {
    releasedBytes += bytes;
  }

  /**
   * Whether congestion begins with what flows might send; to be called when all of that has been
   * summed up.
   */
  boolean contend(long nowNanos) {
    // Beside one that has begun those that are registered with it may begin at any time.
    int withDeadline = flowsWithDeadline > 0 ? flowsWithDeadline + awaited : 0;
    return contend(withDeadline, flowsWithBase, releasedBytes, nowNanos);
  }

  /** Whether nothing but what a release would bring keeps congestion from ending. */
  boolean isCalm(long nowNanos) {
    return isCalm(flowsWithDeadline, nowNanos);
  }

  /** Ends congestion if it is time to; returns whether it has just ended. */
  boolean recover(long nowNanos) {
    return recover(flowsWithDeadline, releasedBytes, nowNanos);
  }

  /** What it carries of payload, bytes/s. */
  double carriedBytesPerSecond() {
    return capacityBytesPerSecond();
  }

  // ---------------------------------------------------------------- promises

  /** Windows have been divided, where they are: what it carries beside these counts. */
  void learnCarried(long nowNanos) {
    learnCarried(baseWindowBytes, deliveredBytes, nowNanos);
  }

  /**
   * Sets what is not promised although nothing uses it now, and whether all the rest may be: what
   * is not under grant then yields.
   */
  void setReserved(double bytesPerSecond, boolean restYields) {
    reservedBytesPerSecond = bytesPerSecond;
    yields = restYields;
  }

  /**
   * What there is to promise, bytes/s.
   *
   * @param registering how many of those with a base window are about to have a deadline instead
   */
  double promisableBytesPerSecond(int registering) {
    double base = (flowsWithBase - registering) * baseWindowBytes;
    return SedAdmission.promisableBytesPerSecond(this, base, reservedBytesPerSecond, yields);
  }

  /** Opens what promised flows may be let through beyond their sources' shares. */
  void openRate() {
    double part = PromisedRates.PORT_PART * capacityBytesPerSecond();
    rateBytesPerSecond = Math.max(0, part - reservedBytesPerSecond);
  }

  /** What is left of that, bytes/s. */
  double rate() {
    return rateBytesPerSecond;
  }

  void takeRate(double bytesPerSecond) {
    rateBytesPerSecond -= bytesPerSecond;
  }
}
