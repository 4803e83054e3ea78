// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/**
 * How much flows of a host's endpoints have sent, TCP's and UDP's. Enabled by {@link
 * HostSettings#reportFlowSizes}, and only from hosts that have levels.
 */
@AutoValue
public abstract class FlowSizeReport {

  public static FlowSizeReport of(
      HostId host, long receivedNanos, List<LargeFlow> large, List<EndedFlows> ended) {
    return new AutoValue_FlowSizeReport(
        host, receivedNanos, List.copyOf(large), List.copyOf(ended));
  }

  public abstract HostId host();

  /** This controller's monotonic clock when it arrived, ns. */
  public abstract long receivedNanos();

  /** Those that have sent something since the last report, or ended. */
  public abstract List<LargeFlow> large();

  /** All that ended, large or not, by size. */
  public abstract List<EndedFlows> ended();
}
