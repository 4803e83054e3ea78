// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.judge;

import java.util.OptionalDouble;

/**
 * One of our numbers, judged.
 *
 * @param name of the figure, with the combination
 * @param unit may be empty
 * @param paper the paper's value, if there is one
 * @param ours the mean over the seeds; NaN if a run did not yield it
 * @param low the least of all seeds
 * @param high the greatest of all seeds
 * @param tolerance what was expected, in words
 * @param verdict what came of it
 * @param why the reason, of {@link Verdict#EXPLAINED} and {@link Verdict#NOT_REPRODUCED}; else
 *     empty
 */
public record Figure(
    String name,
    String unit,
    OptionalDouble paper,
    double ours,
    double low,
    double high,
    String tolerance,
    Verdict verdict,
    String why) {}
