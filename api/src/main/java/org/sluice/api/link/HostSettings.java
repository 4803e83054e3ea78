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

  /** How notices reach a host. What comes another way in band, the host drops and counts. */
  public enum NoticeTransport {
    /** By the agent link alone. */
    LINK,
    /** As signed packets through the tenants' network. The link stays open to what cannot go so. */
    IN_BAND_V1,
    /** As SDN-GCC's 2-byte packets, which nobody signs. The link stays open to the others. */
    IN_BAND_PAPER
  }

  /** Where receivers tell sources of marks and notices come by the link. */
  public static HostSettings of(
      boolean enforcement, Law law, int controlPeriodMicros, int tauMicros) {
    return of(enforcement, law, controlPeriodMicros, tauMicros, false, NoticeTransport.LINK);
  }

  public static HostSettings of(
      boolean enforcement,
      Law law,
      int controlPeriodMicros,
      int tauMicros,
      boolean noticesAlone,
      NoticeTransport noticeTransport) {
    return new AutoValue_HostSettings(
        enforcement, law, controlPeriodMicros, tauMicros, noticesAlone, noticeTransport);
  }

  /** False: limits and ECN rules are off, counting goes on. */
  public abstract boolean enforcement();

  public abstract Law law();

  /** T_i, microseconds. */
  public abstract int controlPeriodMicros();

  /** The host loop's period, microseconds; 0 leaves it to the agent's own configuration. */
  public abstract int tauMicros();

  /**
   * True: marks are told by notices alone. Agents send each other no feedback, and the host loop
   * turns once per T_i unless {@link #tauMicros} says otherwise.
   */
  public abstract boolean noticesAlone();

  public abstract NoticeTransport noticeTransport();
}
