// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The constants of Sluice's law; the agent's {@code TwoTimeScaleParameters} says why each has its
 * value.
 *
 * @param cutGain what a step in which every packet was marked takes from x, as a part of it; (0, 1)
 * @param recoveryGain what a step gives back of it, in shares; (0, 1)
 * @param leastFactor x is never lower; (0, 1)
 * @param mostLoans a loan is at most so many times the lent part; at least 1
 * @param loanGain what a step without marks adds to a loan, as a part of what is lent; (0, 1)
 * @param mostLoanGain the most that it adds once there have been no marks for long; at least
 *     loanGain
 * @param patienceSteps so many steps without marks add one loanGain more; at least 1
 * @param keptPart what the first marks leave of the loan of the time when they were caused; (0, 1)
 * @param delaySteps so many steps earlier they were caused; at least 1
 * @param settlingSteps so many steps of marks are waited for a smaller loan to show; at least 0
 * @param proportionalGain how far the limit ducks under a loan while all is marked; [0, 1)
 * @param holdSteps how many steps the last F stays valid when nothing is reported; at least 0
 * @param quietNanos T_o
 * @param staleNanos how old a published share may be and still show that the controller is there
 * @param notices what notices do
 */
public record TwoTimeScaleParameters(
    double cutGain,
    double recoveryGain,
    double leastFactor,
    double mostLoans,
    double loanGain,
    double mostLoanGain,
    int patienceSteps,
    double keptPart,
    int delaySteps,
    int settlingSteps,
    double proportionalGain,
    int holdSteps,
    long quietNanos,
    long staleNanos,
    NoticeParameters notices) {

  /** The agent's. */
  public static final TwoTimeScaleParameters DEFAULTS =
      new TwoTimeScaleParameters(
          0.2,
          0.06,
          0.02,
          3,
          0.02,
          0.1,
          4,
          0.8,
          3,
          4,
          0.3,
          4,
          1_000_000_000L,
          3_000_000_000L,
          NoticeParameters.DEFAULTS);
}
