// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import org.sluice.api.Tenant;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.Epoch;

/** Whose endpoint an endpoint is. */
public interface TenantDirectory {

  /** Advances whenever a tenant was set, changed or removed. */
  Epoch epoch();

  Tenant tenantOf(ReportedEndpoint endpoint);

  /** Whose it is, and what it weighs there; all alike where no member says otherwise. */
  default Membership membershipOf(ReportedEndpoint endpoint) {
    return Membership.unnamed(tenantOf(endpoint));
  }
}
