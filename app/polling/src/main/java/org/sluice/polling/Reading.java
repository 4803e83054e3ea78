// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

/** The counters of a port or meter at one moment, as a switch says. */
public final class Reading {
  /** How long a port or meter has existed, if the switch does not say; whole seconds. */
  public static final long UNKNOWN_SECONDS = Counters.UNKNOWN_SECONDS;

  private final long number;
  private final long[] counters;
  private final long aliveSeconds;
  private final long aliveNanos;

  private Reading(long number, long aliveSeconds, long aliveNanos, long... counters) {
    this.number = number;
    this.counters = counters;
    this.aliveSeconds = aliveSeconds;
    this.aliveNanos = aliveNanos;
  }

  /**
   * Of a port; OpenFlow 1.3.5, section 7.3.5.6. A counter that the switch does not have is -1.
   *
   * @param aliveSeconds how long it has existed, whole seconds, or {@link #UNKNOWN_SECONDS}
   * @param aliveNanos the rest of that
   */
  public static Reading port(
      long number,
      long rxPackets,
      long rxBytes,
      long txPackets,
      long txBytes,
      long txDropped,
      long aliveSeconds,
      long aliveNanos) {
    return new Reading(
        number, aliveSeconds, aliveNanos, rxPackets, rxBytes, txPackets, txBytes, txDropped);
  }

  /**
   * Of a meter, what entered it; OpenFlow 1.3.5, section 7.3.5.12.
   *
   * @param aliveSeconds how long it has existed, whole seconds, or {@link #UNKNOWN_SECONDS}
   * @param aliveNanos the rest of that
   */
  public static Reading meter(
      long number, long packets, long bytes, long aliveSeconds, long aliveNanos) {
    return new Reading(number, aliveSeconds, aliveNanos, packets, bytes);
  }

  public long number() {
    return number;
  }

  /** In the order of the factory methods' arguments. */
  long[] counters() {
    return counters;
  }

  /** How long it has existed, whole seconds; 0: the switch does not say. */
  public long lifeSeconds() {
    return aliveSeconds == UNKNOWN_SECONDS ? 0 : aliveSeconds;
  }

  long aliveSeconds() {
    return aliveSeconds;
  }

  long aliveNanos() {
    return aliveNanos;
  }
}
