// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Objects;

/** The constants of SED, RSED and what Sluice makes of them. Immutable. */
public final class DeadlineParameters {
  /** What becomes of a flow whose deadline has passed. */
  public enum Expired {
    /** It goes on as a flow without a deadline. */
    DEMOTE,
    /** Its window is closed, as in print (Algorithm 2, lines 2 to 4). */
    DROP
  }

  /**
   * {@link WindowScheme#EDF}, {@link Expired#DEMOTE}, segments of 1460 bytes, an initial window of
   * ten of them (RFC 6928), and 1 ms from a host to the controller and back.
   */
  public static final DeadlineParameters DEFAULTS =
      new DeadlineParameters(WindowScheme.EDF, Expired.DEMOTE, 1460, 10, 1_000_000L);

  private final WindowScheme windows;
  private final Expired expired;
  private final int segmentBytes;
  private final int initialSegments;
  private final long latencyNanos;

  private DeadlineParameters(
      WindowScheme windows,
      Expired expired,
      int segmentBytes,
      int initialSegments,
      long latencyNanos) {
    this.windows = windows;
    this.expired = expired;
    this.segmentBytes = segmentBytes;
    this.initialSegments = initialSegments;
    this.latencyNanos = latencyNanos;
  }

  /** Who gets which window at a congested port. */
  public WindowScheme windows() {
    return windows;
  }

  public Expired expired() {
    return expired;
  }

  /** MSS, bytes of payload. */
  public int segmentBytes() {
    return segmentBytes;
  }

  /**
   * How long a report of a flow takes to the controller and a grant back, together, ns: what a flow
   * sent meanwhile is taken off what it has left.
   */
  public long latencyNanos() {
    return latencyNanos;
  }

  /** base_win: what a flow without a deadline always has, bytes. */
  public long baseBytes() {
    return (long) segmentBytes
        * (windows == WindowScheme.SED ? SedLaw.BASE_SEGMENTS : EdfWindows.BASE_SEGMENTS);
  }

  public DeadlineParameters withWindows(WindowScheme value) {
    Objects.requireNonNull(value, "windows");
    return new DeadlineParameters(value, expired, segmentBytes, initialSegments, latencyNanos);
  }

  public DeadlineParameters withExpired(Expired value) {
    return new DeadlineParameters(windows, value, segmentBytes, initialSegments, latencyNanos);
  }

  /**
   * The same for segments of another size.
   *
   * @throws IllegalArgumentException if not above 0
   */
  public DeadlineParameters withSegmentBytes(int value) {
    require("segmentBytes", value);
    return new DeadlineParameters(windows, expired, value, initialSegments, latencyNanos);
  }

  /**
   * The same for another initial window.
   *
   * @throws IllegalArgumentException if not above 0
   */
  public DeadlineParameters withInitialSegments(int value) {
    require("initialSegments", value);
    return new DeadlineParameters(windows, expired, segmentBytes, value, latencyNanos);
  }

  /**
   * The same for another latency of reports and grants.
   *
   * @throws IllegalArgumentException if below 0
   */
  public DeadlineParameters withLatencyNanos(long value) {
    require("latencyNanos", value + 1);
    return new DeadlineParameters(windows, expired, segmentBytes, initialSegments, value);
  }

  private static void require(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be above 0, not " + value);
    }
  }

  /** IW: what senders start with before they have a grant, bytes. */
  public long firstWindowBytes() {
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
