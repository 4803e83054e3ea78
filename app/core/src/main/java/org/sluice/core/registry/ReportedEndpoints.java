// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.Epoch;

/** Endpoints as agents report them, before any tenant comes into play. */
public interface ReportedEndpoints {

  /** Advances whenever an endpoint came, went or changed its addresses, or a host its session. */
  Epoch epoch();

  /**
   * Which endpoints came, went or changed, or had a host whose session did, since the {@linkplain
   * #epoch epoch} was this. Some may be named twice. Empty: too many, look at all of them.
   */
  Optional<Set<EndpointId>> changedSince(long epoch);

  /** Connected hosts, each with a number that no other session had; their endpoints are known. */
  Map<HostId, Long> sessions();

  /** All known endpoints, each with only the addresses that it holds, by id. */
  List<ReportedEndpoint> reported();

  /** One of the {@linkplain #reported reported}. */
  Optional<ReportedEndpoint> endpoint(EndpointId id);

  /**
   * Addresses that endpoints claim and do not hold, each with the reason; only endpoints with any.
   */
  Map<EndpointId, Map<IpAddress, String>> refused();

  /** The endpoint that holds an address. */
  Optional<ReportedEndpoint> holder(IpAddress ip);
}
