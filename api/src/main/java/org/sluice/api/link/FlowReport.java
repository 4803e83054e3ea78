// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** TCP flows that endpoints of a host send. Enabled by {@link HostSettings#reportFlows}. */
@AutoValue
public abstract class FlowReport {

  public static FlowReport of(
      HostId host, long sentNanos, boolean complete, List<FlowUpdate> flows) {
    return new AutoValue_FlowReport(host, sentNanos, complete, List.copyOf(flows));
  }

  public abstract HostId host();

  /**
   * When the agent sent it, by this controller's monotonic clock, ns: an estimate, and no later
   * than it arrived.
   */
  public abstract long sentNanos();

  /** True: flows of this host that are not listed have ended. */
  public abstract boolean complete();

  public abstract List<FlowUpdate> flows();
}
