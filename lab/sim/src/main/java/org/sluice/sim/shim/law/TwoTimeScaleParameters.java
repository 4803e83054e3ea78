// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The constants of Sluice's law; the agent's {@code TwoTimeScaleParameters} says why each has its
 * value.
 *
 * @param increaseGain a: what a step without marks adds to R, as a part of the share w u; (0, 1)
 * @param decreaseGain b: what a step in which every packet was marked takes from R; (0, 1)
 * @param pullGain kappa: R is drawn towards pullCentre w u by so much of its distance; at least 0
 * @param pullCentre c, around 1
 * @param pullReach delta, in shares: a larger distance counts as this; at least 0
 * @param proportionalGain gamma: how far the limit ducks under R when all is marked; [0, 1)
 * @param patienceSteps how many steps in a row make "backlog without marks" or "unused"; at least 1
 * @param probeMargin how far above its reference R stands before backlog without marks counts as
 *     spare capacity; at least 1
 * @param probeFactor multiplies R per step once patienceSteps have passed so; above 1
 * @param reentryHeadroom how far above max(share, delivered) the first mark after probing leaves R
 * @param minimumShare R_min as a part of the share w u; (0, 1)
 * @param holdSteps how many steps the last F stays valid when nothing is reported; at least 0
 * @param standbyNanos in about how long R returns to the share while other ports govern
 * @param quietNanos T_o
 * @param staleNanos how old the share may be and still pull R upwards
 * @param notices what notices do
 */
public record TwoTimeScaleParameters(
    double increaseGain,
    double decreaseGain,
    double pullGain,
    double pullCentre,
    double pullReach,
    double proportionalGain,
    int patienceSteps,
    double probeMargin,
    double probeFactor,
    double reentryHeadroom,
    double minimumShare,
    int holdSteps,
    long standbyNanos,
    long quietNanos,
    long staleNanos,
    NoticeParameters notices) {

  /** The agent's. */
  public static final TwoTimeScaleParameters DEFAULTS =
      new TwoTimeScaleParameters(
          0.02,
          0.04,
          0.3,
          1.1,
          0.04,
          0.2,
          10,
          1.25,
          1.25,
          1.1,
          0.01,
          4,
          100_000_000L,
          1_000_000_000L,
          3_000_000_000L,
          NoticeParameters.DEFAULTS);
}
