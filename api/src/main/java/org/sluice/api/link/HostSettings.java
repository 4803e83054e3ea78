// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.Law;

/** How a host's shim works, for all of its endpoints. */
@AutoValue
public abstract class HostSettings {
  /** The largest size at which agents let flows leave a level. */
  public static final long MOST_LEVEL_THRESHOLD_BYTES = 1_000_000_000_000L;

  /** How notices reach a host. Notices in band in another format are dropped and counted. */
  public enum NoticeTransport {
    /** Only by the agent link. */
    LINK,
    /** As signed packets through the tenants' network; by the link where that is impossible. */
    IN_BAND_V1,
    /** As SDN-GCC's 2-byte packets, unsigned; by the link where that is impossible. */
    IN_BAND_SDN_GCC
  }

  /** Where receivers report marks to sources, and notices come by the link. */
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
    return new AutoValue_HostSettings.Builder()
        .enforcement(enforcement)
        .law(law)
        .controlPeriodMicros(controlPeriodMicros)
        .tauMicros(tauMicros)
        .noticesAlone(noticesAlone)
        .noticeTransport(noticeTransport)
        .reportFlows(false)
        .handshakeWaitMicros(0)
        .reportLosses(false)
        .sendLostFrames(false)
        .signConnections(false)
        .reportFlowSizes(false)
        .levelThresholdsBytes(List.of())
        .receiversMark(false)
        .build();
  }

  /** The same but for what is set then. */
  public abstract Builder toBuilder();

  /** False: limits and ECN rules are off, counting goes on. */
  public abstract boolean enforcement();

  /** Which control law the shim runs. */
  public abstract Law law();

  /** T_i, microseconds. */
  public abstract int controlPeriodMicros();

  /** The host loop's period, microseconds; 0 leaves it to the agent's own configuration. */
  public abstract int tauMicros();

  /**
   * True: sources receive marks by notices only. Agents send each other no feedback, and the host
   * loop runs once per T_i unless {@link #tauMicros} is set.
   */
  public abstract boolean noticesAlone();

  public abstract NoticeTransport noticeTransport();

  /** Whether it reports the TCP flows of its endpoints ({@link FlowReport}). */
  public abstract boolean reportFlows();

  /**
   * How long a SYN-ACK for an endpoint is held back, at most, for the first grant for its
   * connection, microseconds; 0: not at all.
   */
  public abstract int handshakeWaitMicros();

  /** Whether a port agent reports packets that it drops ({@link LossReport}), and keeps them. */
  public abstract boolean reportLosses();

  /** Whether these reports have the packets themselves ({@link Loss#frame}). */
  public abstract boolean sendLostFrames();

  /**
   * Whether segments that begin or end a TCP connection are sent as ECT(1), and no other segments
   * are: for switches that cannot match TCP flags.
   */
  public abstract boolean signConnections();

  /**
   * Whether it reports how much flows have sent ({@link FlowSizeReport}), as far as it has levels.
   */
  public abstract boolean reportFlowSizes();

  /**
   * The sizes at which flows leave a level for the next, bytes, from 1 to {@link
   * #MOST_LEVEL_THRESHOLD_BYTES}, each above the one before, one less than there are levels; a host
   * with another number of levels keeps its own. Empty: as it is configured.
   */
  public abstract List<Long> levelThresholdsBytes();

  /**
   * Whether an uplink without a receive ceiling of its own has its capacity for one: no switch
   * marks what arrives there.
   */
  public abstract boolean receiversMark();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder enforcement(boolean value);

    abstract Builder law(Law value);

    abstract Builder controlPeriodMicros(int value);

    abstract Builder tauMicros(int value);

    abstract Builder noticesAlone(boolean value);

    abstract Builder noticeTransport(NoticeTransport value);

    public abstract Builder reportFlows(boolean value);

    public abstract Builder handshakeWaitMicros(int value);

    public abstract Builder reportLosses(boolean value);

    public abstract Builder sendLostFrames(boolean value);

    public abstract Builder signConnections(boolean value);

    public abstract Builder reportFlowSizes(boolean value);

    public abstract Builder levelThresholdsBytes(List<Long> value);

    public abstract Builder receiversMark(boolean value);

    public abstract HostSettings build();
  }
}
