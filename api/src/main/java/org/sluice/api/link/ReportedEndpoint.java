// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/** A virtual NIC as its host's agent found it; only the controller decides its tenant. */
@AutoValue
public abstract class ReportedEndpoint {

  public static ReportedEndpoint of(EndpointId id, MacAddress mac, Set<IpAddress> ips) {
    return of(id, mac, ips, Set.of());
  }

  /**
   * One of whose addresses some were only learned.
   *
   * @param learnedIps of {@code ips}, those that nobody has written down
   */
  public static ReportedEndpoint of(
      EndpointId id, MacAddress mac, Set<IpAddress> ips, Set<IpAddress> learnedIps) {
    return new AutoValue_ReportedEndpoint(
        id, mac, Set.copyOf(ips), Set.copyOf(learnedIps), EndpointMetadata.NONE);
  }

  /** The same, of which its host knows this. */
  public ReportedEndpoint withMetadata(EndpointMetadata metadata) {
    return new AutoValue_ReportedEndpoint(id(), mac(), ips(), learnedIps(), metadata);
  }

  /** The same with these of its addresses alone. */
  public ReportedEndpoint withIps(Set<IpAddress> some) {
    return of(
            id(),
            mac(),
            some,
            learnedIps().stream().filter(some::contains).collect(Collectors.toSet()))
        .withMetadata(metadata());
  }

  public abstract EndpointId id();

  public abstract MacAddress mac();

  public abstract Set<IpAddress> ips();

  /** Those that its host only saw the endpoint use: a VM chooses them itself. */
  public abstract Set<IpAddress> learnedIps();

  /** What its host knows of its interface: as much worth as the host's word. */
  public abstract EndpointMetadata metadata();
}
