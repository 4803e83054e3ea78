// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/**
 * What the queues of one port agent did over an interval. It comes at most every T_i while anything
 * passes, and at least every second. Only ports that the agent's Hello named occur in it. Or what
 * the phantom queues of a host's receive ceilings would have done.
 */
@AutoValue
public abstract class PortQueueObservation {

  public static PortQueueObservation of(
      HostId host, long receivedNanos, long intervalNanos, List<PortQueueSample> ports) {
    return new AutoValue_PortQueueObservation(
        host, receivedNanos, intervalNanos, List.copyOf(ports));
  }

  /** The agent, by its certificate's name. */
  public abstract HostId host();

  /** This controller's monotonic clock when it arrived, ns. */
  public abstract long receivedNanos();

  /** What the increments cover, ns, by the agent's clock. */
  public abstract long intervalNanos();

  public abstract List<PortQueueSample> ports();
}
