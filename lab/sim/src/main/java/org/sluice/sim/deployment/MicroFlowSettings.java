// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import org.sluice.engine.law.MicroFlowLaw.Capacity;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.law.MicroFlowParameters.Caps;

/**
 * Micro-flow on a network.
 *
 * @param caps by what background queues are capped; by nothing: there are the queues alone
 * @param hosts whether hosts' NICs have the queues too, and are upstream ports
 * @param capacity what qc is
 * @param buffer packets that each queue has space for, at least 1
 * @param hostBuffer packets that micro queues of hosts' NICs have space for instead, at least 1
 * @param hostBackgroundBuffer packets that their background queues have space for, at least 1
 * @param portBuffer packets that all queues of a switch's port together have space for; 0 for no
 *     limit but each queue's own
 * @param markAt from how many packets in a switch's port on others get a mark; 0 for never
 * @param levels of priority that hosts' agents give to packets by DSCP, 2 to 4, which needs {@code
 *     hosts}; 0: the controller has rules put background flows into their queues
 * @param levelPeriodNanos how often the sizes are tuned at which flows change their level, above 0
 * @param priorityShare up to which part of a port's rate micro queues go first, [0, 1]
 * @param roundTripNanos RTT of the fabric without queues, above 1
 * @param longestIntervalNanos of the queue monitor, at least half of RTT
 * @param timeoutNanos for how long a cap holds, above 0
 * @param backgroundBytes what a flow sends before it is a background flow, at least 0
 * @param idleNanos after which a flow counts as ended, above 0
 * @param flowLimit of the table of background flows, at least 1
 * @param reportNanos how often hosts report what flows have sent, above 0
 */
public record MicroFlowSettings(
    Caps caps,
    boolean hosts,
    Capacity capacity,
    int buffer,
    int hostBuffer,
    int hostBackgroundBuffer,
    int portBuffer,
    int markAt,
    int levels,
    long levelPeriodNanos,
    double priorityShare,
    long roundTripNanos,
    long longestIntervalNanos,
    long timeoutNanos,
    long backgroundBytes,
    long idleNanos,
    int flowLimit,
    long reportNanos) {

  /**
   * The law's own defaults, in the paper's fabric: a round trip of 29 ms, 36 packets of buffer; the
   * micro queue goes first up to half of a port, and flows are reported every 10 ms.
   */
  public static final MicroFlowSettings DEFAULTS = of(MicroFlowParameters.DEFAULTS);

  private static MicroFlowSettings of(MicroFlowParameters law) {
    return new MicroFlowSettings(
        law.caps(),
        false,
        law.capacity(),
        36,
        36,
        36,
        0,
        0,
        0,
        law.levelPeriodNanos(),
        0.5,
        29_000_000L,
        law.longestIntervalNanos(),
        law.timeoutNanos(),
        law.backgroundBytes(),
        law.idleNanos(),
        law.flowLimit(),
        10_000_000L);
  }

  /** The same with other caps and another reading of qc. */
  public MicroFlowSettings with(Caps otherCaps, Capacity otherCapacity) {
    return new MicroFlowSettings(
        otherCaps,
        hosts,
        otherCapacity,
        buffer,
        hostBuffer,
        hostBackgroundBuffer,
        portBuffer,
        markAt,
        levels,
        levelPeriodNanos,
        priorityShare,
        roundTripNanos,
        longestIntervalNanos,
        timeoutNanos,
        backgroundBytes,
        idleNanos,
        flowLimit,
        reportNanos);
  }

  /**
   * The constants of the law.
   *
   * @throws IllegalArgumentException if one is out of range
   */
  public MicroFlowParameters law() {
    return MicroFlowParameters.builder()
        .caps(caps)
        .capacity(capacity)
        .levels(Math.max(MicroFlowParameters.LEAST_LEVELS, levels))
        .levelPeriodNanos(levelPeriodNanos)
        .roundTripNanos(roundTripNanos)
        .longestIntervalNanos(longestIntervalNanos)
        .timeoutNanos(timeoutNanos)
        .backgroundBytes(backgroundBytes)
        .idleNanos(idleNanos)
        .flowLimit(flowLimit)
        .build();
  }
}
