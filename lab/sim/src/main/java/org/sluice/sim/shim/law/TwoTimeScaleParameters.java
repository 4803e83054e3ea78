// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * The constants of Sluice's law; the agent's {@code TwoTimeScaleParameters} says why each has its
 * value.
 *
 * @param cutGain what a step in which every packet was marked takes from x, as a part of it; (0, 1)
 * @param recoveryGain what a step gives back of it at least, in shares; (0, 1)
 * @param leastFactor x is never lower; (0, 1)
 * @param mostLoans a loan is at most so many times the lent part; at least 1
 * @param loanGain what a step without marks adds to a loan, as a part of what is lent; (0, 1)
 * @param mostLoanGain the most that it adds once there have been no marks for long; at least
 *     loanGain
 * @param patienceSteps after so many steps without marks a loan rises to what is lent; each so many
 *     more add one loanGain; at least 1
 * @param keptPart what the first marks leave of the loan of the time when they were caused; (0, 1)
 * @param delaySteps so many steps earlier they were caused; at least 1
 * @param proportionalGain how far the limit ducks under x while all is marked and there is a loan;
 *     [0, 1)
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
          2,
          0.02,
          0.1,
          4,
          0.8,
          3,
          0.3,
          4,
          1_000_000_000L,
          3_000_000_000L,
          NoticeParameters.DEFAULTS);
}
