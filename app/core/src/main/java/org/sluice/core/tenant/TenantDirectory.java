// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.Epoch;

/** Whose endpoint an endpoint is. */
public interface TenantDirectory {

  /** Advances whenever a tenant was set, changed or removed. */
  Epoch epoch();

  Tenant tenantOf(ReportedEndpoint endpoint);

  /** Whose it is by a member that names it otherwise than by address; empty: none does. */
  default Optional<TenantId> namedTenantOf(ReportedEndpoint endpoint) {
    return Optional.empty();
  }

  /** The tenant with the longest prefix among its members that has an address. */
  default Optional<TenantId> tenantOfPrefix(IpAddress ip) {
    return Optional.empty();
  }

  /** Whose it is, and what it weighs there; all alike where no member says otherwise. */
  default Membership membershipOf(ReportedEndpoint endpoint) {
    return Membership.unnamed(tenantOf(endpoint));
  }
}
