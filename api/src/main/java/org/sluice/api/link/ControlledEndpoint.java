// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;

/** An endpoint that sends through a congested port, and all destinations that it reaches so. */
@AutoValue
public abstract class ControlledEndpoint {

  public static ControlledEndpoint of(EndpointId endpoint, Set<IpAddress> destinations) {
    return new AutoValue_ControlledEndpoint(endpoint, Set.copyOf(destinations));
  }

  public abstract EndpointId endpoint();

  public abstract Set<IpAddress> destinations();
}
