// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.deadline;

/**
 * The constants of SED. Immutable.
 *
 * @see #DEFAULTS
 */
public final class DeadlineParameters {
  /** What becomes of a flow whose deadline has passed. */
  public enum Expired {
    /** It goes on as a flow without a deadline. */
    DEMOTE,
    /** Its window is closed, as the paper has it (Algorithm 2, lines 2 to 4). */
    DROP
  }

  /** Who gets which window. */
  public enum Law {
    /** {@link EdfWindows}. */
    EDF,
    /** {@link PaperWindows}. */
    PAPER
  }

  /** EDF, demote, segments of 1460 bytes, base windows of two, IW of ten (RFC 6928). */
  public static final DeadlineParameters DEFAULTS =
      new DeadlineParameters(Law.EDF, Expired.DEMOTE, 1460, 10, 1_000_000L);

  /**
   * Of the time that is left to a flow so much is counted on, in windows and in what its source is
   * let through. A transport fills neither to the brim, and a window of a few segments is worth
   * less than reckoned wherever a busy host delays packets. Both need it: the lower one holds.
   */
  static final double HASTE = 0.5;

  private static final int BASE_SEGMENTS = 2;
  private static final int PAPER_BASE_SEGMENTS = 1;

  private final Law law;
  private final Expired expired;
  private final int segmentBytes;
  private final int initialSegments;
  private final long latencyNanos;

  private DeadlineParameters(
      Law law, Expired expired, int segmentBytes, int initialSegments, long latencyNanos) {
    this.law = law;
    this.expired = expired;
    this.segmentBytes = segmentBytes;
    this.initialSegments = initialSegments;
    this.latencyNanos = latencyNanos;
  }

  public Law law() {
    return law;
  }

  public Expired expired() {
    return expired;
  }

  /** MSS, bytes of payload. */
  public int segmentBytes() {
    return segmentBytes;
  }

  /**
   * How long news of a flow takes to the controller and a grant back, together, ns: what a flow
   * sent meanwhile is taken off what it has left.
   */
  public long latencyNanos() {
    return latencyNanos;
  }

  /**
   * What a flow without a deadline always has, bytes. The paper's is one segment; here two, because
   * a virtual machine's delayed acknowledgements cannot be turned off, and one would be a packet
   * per 40 ms.
   */
  public long baseBytes() {
    return (long) segmentBytes * (isPapersLaw() ? PAPER_BASE_SEGMENTS : BASE_SEGMENTS);
  }

  public DeadlineParameters withLaw(Law value) {
    return new DeadlineParameters(value, expired, segmentBytes, initialSegments, latencyNanos);
  }

  public DeadlineParameters withExpired(Expired value) {
    return new DeadlineParameters(law, value, segmentBytes, initialSegments, latencyNanos);
  }

  /**
   * The same for segments of another size.
   *
   * @throws IllegalArgumentException if not above 0
   */
  public DeadlineParameters withSegmentBytes(int value) {
    require("segmentBytes", value);
    return new DeadlineParameters(law, expired, value, initialSegments, latencyNanos);
  }

  /**
   * The same for another initial window.
   *
   * @throws IllegalArgumentException if not above 0
   */
  public DeadlineParameters withInitialSegments(int value) {
    require("initialSegments", value);
    return new DeadlineParameters(law, expired, segmentBytes, value, latencyNanos);
  }

  /**
   * The same for another latency of news and grants.
   *
   * @throws IllegalArgumentException if below 0
   */
  public DeadlineParameters withLatencyNanos(long value) {
    require("latencyNanos", value + 1);
    return new DeadlineParameters(law, expired, segmentBytes, initialSegments, value);
  }

  private static void require(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be above 0, not " + value);
    }
  }

  boolean isPapersLaw() {
    return law == Law.PAPER;
  }

  /** What senders start with before anybody tells them anything, bytes. */
  long firstWindowBytes() {
    return (long) initialSegments * segmentBytes;
  }

  /** Bytes rounded up to whole segments. */
  long wholeSegmentsUp(double bytes) {
    return (long) Math.ceil(bytes / segmentBytes) * segmentBytes;
  }

  /** Bytes rounded down to whole segments. */
  long wholeSegmentsDown(double bytes) {
    return (long) Math.floor(bytes / segmentBytes) * segmentBytes;
  }
}
