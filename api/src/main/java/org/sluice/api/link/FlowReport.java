// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** TCP flows that endpoints of a host send. Asked for by {@link HostSettings#reportFlows}. */
@AutoValue
public abstract class FlowReport {

  public static FlowReport of(HostId host, long saidNanos, boolean complete, List<FlowNews> flows) {
    return new AutoValue_FlowReport(host, saidNanos, complete, List.copyOf(flows));
  }

  public abstract HostId host();

  /**
   * When the agent made it, by this controller's monotonic clock, ns: as far as that can be told,
   * and no later than it arrived.
   */
  public abstract long saidNanos();

  /** True: flows of this host that are not named are gone. */
  public abstract boolean complete();

  public abstract List<FlowNews> flows();
}
