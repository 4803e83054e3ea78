// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;

/** Parameters for a host's TCP. What is not given is left to the host. */
@AutoValue
public abstract class TcpHint {
  /** The host's own parameters: a hint that was given before ends. */
  public static final TcpHint NONE = builder().build();

  /** A hint that gives nothing yet. */
  public static Builder builder() {
    return new AutoValue_TcpHint.Builder()
        .initialWindowSegments(0)
        .rtoMinNanos(0)
        .congestionControl("")
        .pacingBitsPerSecond(0);
  }

  /** Initial congestion window of new connections, segments; 0: the host's own. */
  public abstract int initialWindowSegments();

  /** Least retransmission timeout, ns; 0: the host's own. A kernel may not go as low. */
  public abstract long rtoMinNanos();

  /** Of new connections, by its name in Linux ({@code dctcp}); empty: the host's own. */
  public abstract String congestionControl();

  /** What one connection sends at most, bit/s; 0: as fast as its window allows. */
  public abstract long pacingBitsPerSecond();

  /** Whether it gives nothing. */
  public final boolean isEmpty() {
    return equals(NONE);
  }

  /** This hint, and of another what this one leaves open. */
  public final TcpHint orElse(TcpHint other) {
    return builder()
        .initialWindowSegments(
            initialWindowSegments() > 0 ? initialWindowSegments() : other.initialWindowSegments())
        .rtoMinNanos(rtoMinNanos() > 0 ? rtoMinNanos() : other.rtoMinNanos())
        .congestionControl(
            congestionControl().isEmpty() ? other.congestionControl() : congestionControl())
        .pacingBitsPerSecond(
            pacingBitsPerSecond() > 0 ? pacingBitsPerSecond() : other.pacingBitsPerSecond())
        .build();
  }

  /** Makes one; {@link PolicySet} checks it. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder initialWindowSegments(int value);

    public abstract Builder rtoMinNanos(long value);

    public abstract Builder congestionControl(String value);

    public abstract Builder pacingBitsPerSecond(long value);

    public abstract TcpHint build();
  }
}
