// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.statistics;

/** What the engine holds and has counted since it was made. A snapshot. */
public final class EngineStatistics {
  final long[] values;

  EngineStatistics(long[] values) {
    this.values = values;
  }

  /** One figure. Gauges fall, counters only grow. */
  public enum Figure {
    /** Gauge: pairs with bytes within the activity window. */
    ACTIVE_PAIRS,
    /** Gauge: pairs remembered, active or lately so. */
    REMEMBERED_PAIRS,
    /** Gauge: remembered pairs whose path is not known. */
    UNKNOWN_PATH_PAIRS,
    /** Gauge: ports under control. */
    CONTROLLED_PORTS,
    /** Counter: observations taken in. */
    OBSERVATIONS,
    /** Counter: observations dropped whole: too old, or over an interval that is not above 0. */
    OBSERVATIONS_REFUSED,
    /** Counter: pair samples used. */
    SAMPLES_USED,
    /** Counter: samples refused because a counter was negative, contradictory or absurd. */
    SAMPLES_ABSURD,
    /**
     * Counter: samples between addresses that no known endpoint holds, or of a host that is
     * neither's.
     */
    SAMPLES_FOREIGN,
    /** Counter: samples of pairs within one host, which cross no switch. */
    SAMPLES_LOCAL,
    /** Counter: samples refused because their host, or all of them, had too many pairs. */
    SAMPLES_OVERFLOW,
    /** Counter: CE packets attributed to ports. */
    MARKS_ATTRIBUTED,
    /** Counter: CE packets of pairs without a known path or capacity. */
    MARKS_UNATTRIBUTED,
    /** Counter: CE packets that hosts counted for ports whose marks another source reports. */
    MARKS_SUPERSEDED,
    /** Counter: CE packets that meters counted, set before the port's own queue. */
    MARKS_ENTERED,
    /** Counter: samples of meters, ports and port agents used. */
    COUNTER_SAMPLES,
    /** Counter: such samples refused: unknown, absurd, too old or over too long. */
    COUNTER_SAMPLES_REFUSED,
    /** Counter: address claims refused because another endpoint claimed first. */
    CLAIMS_REFUSED,
    /** Counter: ticks at which the clock had stepped back or stood still for too long. */
    CLOCK_STEPS,
    /** Counter: unit shares handed to the sink. */
    UNIT_SHARES_SENT,
    /** Counter: notices handed to the sink. */
    NOTICES_SENT
  }

  public long get(Figure figure) {
    return values[figure.ordinal()];
  }
}
