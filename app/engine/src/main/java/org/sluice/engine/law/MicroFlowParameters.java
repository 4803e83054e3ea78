// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

import java.util.Objects;

/** The constants of Micro-flow. Immutable. */
public final class MicroFlowParameters {
  /**
   * Caps as printed; qc = BDP at a round trip of 1 ms in packets of 1500 bytes, intervals of at
   * most 50 ms, caps for 100 ms; flows are background from 16 kB on, idle after 1 s, and at most
   * 65,536. Two levels; more are tuned every second.
   */
  public static final MicroFlowParameters DEFAULTS = new Builder().build();

  /** What feeders of a port are capped by. */
  public enum Caps {
    /** By nothing. */
    NONE,
    /** As printed, {@link MicroFlowLaw}. */
    MICROFLOW,
    /** By what is left of the port, {@link FeederLaw}. */
    SLUICE
  }

  /** The fewest and the most levels of priority. */
  public static final int LEAST_LEVELS = 2;

  public static final int MOST_LEVELS = 4;

  private final Caps caps;
  private final int packetBytes;
  private final long roundTripNanos;
  private final long longestIntervalNanos;
  private final long timeoutNanos;
  private final long backgroundBytes;
  private final long idleNanos;
  private final int flowLimit;
  private final int levels;
  private final long levelPeriodNanos;

  private MicroFlowParameters(Builder builder) {
    caps = Objects.requireNonNull(builder.caps, "caps");
    packetBytes = (int) require("packetBytes", builder.packetBytes, 1);
    roundTripNanos = require("roundTripNanos", builder.roundTripNanos, 2);
    longestIntervalNanos =
        require("longestIntervalNanos", builder.longestIntervalNanos, roundTripNanos / 2);
    timeoutNanos = require("timeoutNanos", builder.timeoutNanos, 1);
    backgroundBytes = require("backgroundBytes", builder.backgroundBytes, 0);
    idleNanos = require("idleNanos", builder.idleNanos, 1);
    flowLimit = (int) require("flowLimit", builder.flowLimit, 1);
    levels = (int) require("levels", builder.levels, LEAST_LEVELS);
    if (levels > MOST_LEVELS) {
      throw new IllegalArgumentException(
          "levels must be at most " + MOST_LEVELS + ", not " + levels);
    }
    levelPeriodNanos = require("levelPeriodNanos", builder.levelPeriodNanos, 1);
  }

  private static long require(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
    return value;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** What feeders are capped by. */
  public Caps caps() {
    return caps;
  }

  /** pkt. */
  public int packetBytes() {
    return packetBytes;
  }

  /** RTT of the fabric without queues. */
  public long roundTripNanos() {
    return roundTripNanos;
  }

  /**
   * The shortest time between two evaluations of a queue, RTT/2: what is in between is not
   * answered.
   */
  public long shortestIntervalNanos() {
    return roundTripNanos / 2;
  }

  /**
   * The longest time between two evaluations of a queue: in print a queue of one packet has 9 RTT.
   */
  public long longestIntervalNanos() {
    return longestIntervalNanos;
  }

  /** For how long a cap holds. */
  public long timeoutNanos() {
    return timeoutNanos;
  }

  /** bgt_size: a flow that has sent more is a background flow. */
  public long backgroundBytes() {
    return backgroundBytes;
  }

  /** After so long without a report a flow counts as ended. */
  public long idleNanos() {
    return idleNanos;
  }

  /** How many background flows are remembered; others stay in the micro queue. */
  public int flowLimit() {
    return flowLimit;
  }

  /** Levels of priority, of which background flows are the last. */
  public int levels() {
    return levels;
  }

  /** How often the sizes are tuned at which flows change their level. */
  public long levelPeriodNanos() {
    return levelPeriodNanos;
  }

  /**
   * Before sizes have been seen: the sizes above which a flow leaves its level for the next, each
   * half of what follows; bgt_size is the last.
   */
  public long[] firstThresholdsBytes() {
    long[] thresholds = new long[levels - 1];
    for (int i = 0; i < thresholds.length; i++) {
      thresholds[i] = backgroundBytes >> thresholds.length - 1 - i;
    }
    return thresholds;
  }

  /** Starts from the defaults; {@link #build} refuses what makes no sense. */
  public static final class Builder {
    private Caps caps = Caps.MICROFLOW;
    private int packetBytes = 1500;
    private long roundTripNanos = 1_000_000L;
    private long longestIntervalNanos = 50_000_000L;
    private long timeoutNanos = 100_000_000L;
    private long backgroundBytes = 16_000;
    private long idleNanos = 1_000_000_000L;
    private int flowLimit = 65_536;
    private int levels = LEAST_LEVELS;
    private long levelPeriodNanos = 1_000_000_000L;

    private Builder() {}

    public Builder caps(Caps value) {
      caps = value;
      return this;
    }

    /** At least 1. */
    public Builder packetBytes(int value) {
      packetBytes = value;
      return this;
    }

    /** At least 2, ns. */
    public Builder roundTripNanos(long value) {
      roundTripNanos = value;
      return this;
    }

    /** At least half the round trip, ns. */
    public Builder longestIntervalNanos(long value) {
      longestIntervalNanos = value;
      return this;
    }

    /** Above 0, ns. */
    public Builder timeoutNanos(long value) {
      timeoutNanos = value;
      return this;
    }

    /** At least 0. */
    public Builder backgroundBytes(long value) {
      backgroundBytes = value;
      return this;
    }

    /** Above 0, ns. */
    public Builder idleNanos(long value) {
      idleNanos = value;
      return this;
    }

    /** At least 1. */
    public Builder flowLimit(int value) {
      flowLimit = value;
      return this;
    }

    /** From {@link #LEAST_LEVELS} to {@link #MOST_LEVELS}. */
    public Builder levels(int value) {
      levels = value;
      return this;
    }

    /** Above 0, ns. */
    public Builder levelPeriodNanos(long value) {
      levelPeriodNanos = value;
      return this;
    }

    /**
     * @throws IllegalArgumentException if a value is out of range; the message names it
     */
    public MicroFlowParameters build() {
      return new MicroFlowParameters(this);
    }
  }
}
