// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** TCP flows that endpoints of a host send. Asked for by {@link HostSettings#reportFlows}. */
@AutoValue
public abstract class FlowReport {

  public static FlowReport of(
      HostId host, long receivedNanos, boolean complete, List<FlowNews> flows) {
    return new AutoValue_FlowReport(host, receivedNanos, complete, List.copyOf(flows));
  }

  public abstract HostId host();

  /** This controller's monotonic clock when it arrived, ns. */
  public abstract long receivedNanos();

  /** True: flows of this host that are not named are gone. */
  public abstract boolean complete();

  public abstract List<FlowNews> flows();
}
