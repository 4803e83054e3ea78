// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.hygenicc;

import org.sluice.sim.shim.law.HyGenIccParameters;
import org.sluice.sim.shim.queue.ClassQueueParameters;
import org.sluice.sim.shim.queue.Enforcement;

/**
 * How HyGenICC's shims work. Start from {@link #DEFAULTS}.
 *
 * @param cutBitsPerMark see {@link HyGenIccParameters#cutBitsPerMark}
 * @param slowDivisor see {@link HyGenIccParameters#slowDivisor}
 * @param fastDivisor see {@link HyGenIccParameters#fastDivisor}
 * @param minimumShare R_min as a part of Capacity_Share
 * @param timerNanos how often rates are updated
 * @param congestionTimeoutNanos Congestion_Timeout
 * @param feedbackTimeoutNanos Feedback_Timeout: marks that found no packet back for so long get one
 *     of their own
 * @param reservedBit whether marks are also reflected in the reserved bit of what goes back
 * @param enforcement what happens to packets above the rate
 * @param bucketNanos see {@link ClassQueueParameters#bucketNanos}
 * @param mtuBytes largest IP packet
 * @param overheadBytes what links add to a packet
 * @param preserveEcn whether virtual machines that have agreed on ECN see the marks
 */
public record HyGenIccSettings(
    double cutBitsPerMark,
    double slowDivisor,
    double fastDivisor,
    double minimumShare,
    long timerNanos,
    long congestionTimeoutNanos,
    long feedbackTimeoutNanos,
    boolean reservedBit,
    Enforcement enforcement,
    long bucketNanos,
    int mtuBytes,
    int overheadBytes,
    boolean preserveEcn) {

  /** 500 us as in the paper's simulations; the rest as {@code docs/hygenicc.md} explains. */
  public static final HyGenIccSettings DEFAULTS =
      of(HyGenIccParameters.defaults(1), Enforcement.HTB);

  private static HyGenIccSettings of(HyGenIccParameters law, Enforcement enforcement) {
    return new HyGenIccSettings(
        law.cutBitsPerMark(),
        law.slowDivisor(),
        law.fastDivisor(),
        law.minimumShare(),
        law.timerNanos(),
        law.congestionTimeoutNanos(),
        law.timerNanos(),
        true,
        enforcement,
        25_000_000,
        1500,
        0,
        false);
  }

  /** The same with other enforcement, and with marks that machines see or do not. */
  public HyGenIccSettings with(Enforcement otherEnforcement, boolean preserve) {
    return new HyGenIccSettings(
        cutBitsPerMark,
        slowDivisor,
        fastDivisor,
        minimumShare,
        timerNanos,
        congestionTimeoutNanos,
        feedbackTimeoutNanos,
        reservedBit,
        otherEnforcement,
        bucketNanos,
        mtuBytes,
        overheadBytes,
        preserve);
  }

  HyGenIccParameters lawOf(long nicBitsPerSecond) {
    return new HyGenIccParameters(
        nicBitsPerSecond,
        cutBitsPerMark,
        slowDivisor,
        fastDivisor,
        minimumShare,
        timerNanos,
        congestionTimeoutNanos,
        1_000_000_000L);
  }

  ClassQueueParameters classesOf(long nicBitsPerSecond) {
    return new ClassQueueParameters(
        nicBitsPerSecond, mtuBytes, overheadBytes, enforcement, bucketNanos);
  }
}
