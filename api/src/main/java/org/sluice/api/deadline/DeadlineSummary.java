// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;

/** How deadlines fare, as one controller node sees it. */
@AutoValue
public abstract class DeadlineSummary {

  /**
   * A summary.
   *
   * @param beginningsSeen at least 0
   * @param endsSeen at least 0
   */
  public static DeadlineSummary of(
      Map<TenantId, Map<FlowState, Long>> counts,
      List<CongestedPort> congestedPorts,
      long beginningsSeen,
      long endsSeen,
      LossCounts losses) {
    return new AutoValue_DeadlineSummary(
        Map.copyOf(counts), List.copyOf(congestedPorts), beginningsSeen, endsSeen, losses);
  }

  /**
   * Registrations by tenant and state: those that wait and send now, and those that have ended
   * since the application was activated on this node. A state without any may be missing.
   */
  public abstract Map<TenantId, Map<FlowState, Long>> counts();

  /** Ports at which this node hands out windows now. */
  public abstract List<CongestedPort> congestedPorts();

  /**
   * Connections of registered flows whose beginning switches reported to this node, since the
   * application was activated on it.
   */
  public abstract long beginningsSeen();

  /** As {@link #beginningsSeen}, the end of. */
  public abstract long endsSeen();

  /** Packets that ports lost, and what was done about them. */
  public abstract LossCounts losses();

  /** A port at which windows are handed out. */
  @AutoValue
  public abstract static class CongestedPort {

    public static CongestedPort of(PortId port, long totalWindowBytes) {
      return new AutoValue_DeadlineSummary_CongestedPort(port, totalWindowBytes);
    }

    public abstract PortId port();

    /** T_win: what the windows of all flows through the port sum to, bytes. */
    public abstract long totalWindowBytes();
  }
}
