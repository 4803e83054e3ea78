// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.List;
import org.sluice.api.Tenant;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.spi.Epoch;

/** Directories of tenants that stay as they are. */
public final class TenantDirectories {
  private TenantDirectories() {}

  public static TenantDirectory of(Tenant... tenants) {
    TenantSnapshot table = TenantSnapshot.of(List.of(tenants));
    Epoch epoch = new Epoch();
    return new TenantDirectory() {
      @Override
      public Epoch epoch() {
        return epoch;
      }

      @Override
      public Tenant tenantOf(ReportedEndpoint endpoint) {
        return table.membershipOf(endpoint, false).tenant();
      }

      @Override
      public Membership membershipOf(ReportedEndpoint endpoint) {
        return table.membershipOf(endpoint, false);
      }
    };
  }
}
