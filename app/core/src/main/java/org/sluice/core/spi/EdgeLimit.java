// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/** What an endpoint may send into the network at the edge port behind which it is. */
@AutoValue
public abstract class EdgeLimit {

  /**
   * A limit.
   *
   * @param ips the endpoint's source addresses, at least one
   * @param bitsPerSecond of whole frames, above 0, for all of its addresses together
   */
  public static EdgeLimit of(
      EndpointId endpoint, PortId port, Set<IpAddress> ips, long bitsPerSecond) {
    return new AutoValue_EdgeLimit(endpoint, port, Set.copyOf(ips), bitsPerSecond);
  }

  public abstract EndpointId endpoint();

  /** The edge port by which its packets enter. */
  public abstract PortId port();

  /** Its source addresses, at least one. */
  public abstract Set<IpAddress> ips();

  /** Bit/s of whole frames, above 0, for all of its addresses together. */
  public abstract long bitsPerSecond();
}
