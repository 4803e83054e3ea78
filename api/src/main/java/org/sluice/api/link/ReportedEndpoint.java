// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/** A virtual NIC as its host's agent found it; only the controller decides its tenant. */
@AutoValue
public abstract class ReportedEndpoint {

  public static ReportedEndpoint of(EndpointId id, MacAddress mac, Set<IpAddress> ips) {
    return new AutoValue_ReportedEndpoint(id, mac, Set.copyOf(ips));
  }

  public abstract EndpointId id();

  public abstract MacAddress mac();

  public abstract Set<IpAddress> ips();
}
