// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;

/** How a host's shim works, for all of its endpoints. */
@AutoValue
public abstract class HostSettings {

  /** Which control law the shim runs. */
  public enum Law {
    /** Sluice's two-time-scale law. */
    TWO_TIME_SCALE,
    /** SDN-GCC's Algorithm 3. */
    SDN_GCC
  }

  public static HostSettings of(
      boolean enforcement, Law law, int controlPeriodMicros, int tauMicros) {
    return new AutoValue_HostSettings(enforcement, law, controlPeriodMicros, tauMicros);
  }

  /** False: limits and ECN rules are off, counting goes on. */
  public abstract boolean enforcement();

  public abstract Law law();

  /** T_i, microseconds. */
  public abstract int controlPeriodMicros();

  /** The host loop's period, microseconds; 0 leaves it to the agent's own configuration. */
  public abstract int tauMicros();
}
