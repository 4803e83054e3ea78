// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** What a host counted over an interval. Counters are increments. */
@AutoValue
public abstract class HostObservation {

  public static HostObservation of(
      HostId host,
      long receivedNanos,
      long intervalNanos,
      List<PairSample> pairs,
      List<EndpointSample> endpoints) {
    return new AutoValue_HostObservation(
        host, receivedNanos, intervalNanos, List.copyOf(pairs), List.copyOf(endpoints));
  }

  public abstract HostId host();

  /** This controller's monotonic clock when it arrived, ns. */
  public abstract long receivedNanos();

  /** What the increments cover, ns, by the host's clock. */
  public abstract long intervalNanos();

  public abstract List<PairSample> pairs();

  public abstract List<EndpointSample> endpoints();
}
