// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.sluice.api.Law;
import org.sluice.engine.law.SdnGccLaw.Split;
import org.sluice.engine.marks.Signals;

/**
 * What an operator can set. Immutable; unset values are the defaults.
 *
 * <p>Switching the enforcement off is no matter of the engine: it goes on deciding, the agents stop
 * limiting. R_min, tau and the gains of the host loop belong to the shim.
 */
public final class EngineParameters {
  /** Shortest control period that makes sense over a network: 1 ms. */
  public static final long MIN_CONTROL_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Longest control period: 1 s. */
  public static final long MAX_CONTROL_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Sluice's law, proportional split, T_i = 5 ms. */
  public static final EngineParameters DEFAULTS =
      new EngineParameters(
          Law.SLUICE, Split.PROPORTIONAL, Signals.AUTO, TimeUnit.MILLISECONDS.toNanos(5));

  private final Law law;
  private final Split split;
  private final Signals signals;
  private final long controlPeriodNanos;

  private EngineParameters(Law law, Split split, Signals signals, long controlPeriodNanos) {
    this.law = law;
    this.split = split;
    this.signals = signals;
    this.controlPeriodNanos = controlPeriodNanos;
  }

  public Law law() {
    return law;
  }

  public Split split() {
    return split;
  }

  public Signals signals() {
    return signals;
  }

  /**
   * Whether receivers do not report marks to senders: then notices do, to every source of a marked
   * port.
   */
  public boolean noticesAlone() {
    return signals == Signals.METERS || signals == Signals.PORTS;
  }

  /** T_i: how often {@link Engine#tick} is to be called, ns. */
  public long controlPeriodNanos() {
    return controlPeriodNanos;
  }

  /**
   * The same under another law.
   *
   * @throws IllegalArgumentException if it is one that hosts follow without a controller
   */
  public EngineParameters withLaw(Law value) {
    if (value == Law.HYGENICC) {
      throw new IllegalArgumentException("HyGenICC works in hosts alone, without a controller");
    }
    return new EngineParameters(
        Objects.requireNonNull(value, "law"), split, signals, controlPeriodNanos);
  }

  public EngineParameters withSplit(Split value) {
    return new EngineParameters(
        law, Objects.requireNonNull(value, "split"), signals, controlPeriodNanos);
  }

  public EngineParameters withSignals(Signals value) {
    return new EngineParameters(
        law, split, Objects.requireNonNull(value, "signals"), controlPeriodNanos);
  }

  /**
   * The same with another T_i.
   *
   * @param value ns, {@link #MIN_CONTROL_PERIOD_NANOS} to {@link #MAX_CONTROL_PERIOD_NANOS}
   * @throws IllegalArgumentException if out of range
   */
  public EngineParameters withControlPeriodNanos(long value) {
    if (value < MIN_CONTROL_PERIOD_NANOS || value > MAX_CONTROL_PERIOD_NANOS) {
      throw new IllegalArgumentException(
          "controlPeriodNanos must lie between "
              + MIN_CONTROL_PERIOD_NANOS
              + " and "
              + MAX_CONTROL_PERIOD_NANOS
              + ", not "
              + value);
    }
    return new EngineParameters(law, split, signals, value);
  }
}
