// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;

/** What no policy of a set may do. */
@AutoValue
public abstract class PolicyConstraints {
  /** Above it defaults return, whatever policies say: 70 %. */
  public static final double UTILISATION = 0.7;

  /** The same of drops: 0.1 %. */
  public static final double DROP_RATE = 0.001;

  /** The least that a hint may make RTO_min unless a set says otherwise: 1 ms. */
  public static final long RTO_MIN_NANOS = 1_000_000L;

  /** Segments of 1460 bytes that a receive window without scaling has space for. */
  public static final int INITIAL_WINDOW_SEGMENTS = 44;

  /** What holds where a set says nothing. */
  public static final PolicyConstraints DEFAULTS = builder().build();

  /** Starts from the defaults. */
  public static Builder builder() {
    return new AutoValue_PolicyConstraints.Builder()
        .guard(Limits.of(UTILISATION, DROP_RATE))
        .leastRtoMinNanos(RTO_MIN_NANOS)
        .mostInitialWindowSegments(INITIAL_WINDOW_SEGMENTS)
        .congestionControls(List.of());
  }

  /** Where a policy's links reach one of these its hints end in that cycle. */
  public abstract Limits guard();

  /** Least RTO_min of a hint, ns, above 0. */
  public abstract long leastRtoMinNanos();

  /** Largest initial window of a hint, segments, at least 1. */
  public abstract int mostInitialWindowSegments();

  /** Those that hints may name; empty: any. */
  public abstract List<String> congestionControls();

  /** Makes them; {@link PolicySet} checks them. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder guard(Limits value);

    public abstract Builder leastRtoMinNanos(long value);

    public abstract Builder mostInitialWindowSegments(int value);

    public abstract Builder congestionControls(List<String> value);

    abstract List<String> congestionControls();

    abstract PolicyConstraints autoBuild();

    /** The constraints. */
    public final PolicyConstraints build() {
      return congestionControls(List.copyOf(congestionControls())).autoBuild();
    }
  }
}
