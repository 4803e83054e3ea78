// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;
import org.sluice.core.setting.Parameters;
import org.sluice.core.setting.SettingTable;

/**
 * How many registrations a tenant and a host may have that have not ended, for those that are
 * decided about together. Not thread-safe.
 */
final class RegistrationQuota {
  private final ActiveFlows active;
  private final int mostOfTenant;
  private final int mostOfHost;
  private final Map<TenantId, Integer> takenByTenants = new HashMap<>();
  private final Map<HostId, Integer> takenByHosts = new HashMap<>();

  RegistrationQuota(ActiveFlows active, Parameters parameters) {
    this.active = active;
    mostOfTenant = parameters.get(SettingTable.DEADLINES_PER_TENANT);
    mostOfHost = parameters.get(SettingTable.DEADLINES_PER_HOST);
  }

  /**
   * Takes space for one more.
   *
   * @param host that of its source
   * @throws SluiceException CONFLICT if there is none
   */
  void take(TenantId tenant, HostId host) throws SluiceException {
    int ofTenant = active.count(tenant) + takenByTenants.getOrDefault(tenant, 0);
    int ofHost = active.count(host) + takenByHosts.getOrDefault(host, 0);
    if (ofTenant >= mostOfTenant) {
      throw full("tenant", tenant, ofTenant, SettingTable.DEADLINES_PER_TENANT.name());
    }
    if (ofHost >= mostOfHost) {
      throw full("source", host, ofHost, SettingTable.DEADLINES_PER_HOST.name());
    }
    takenByTenants.merge(tenant, 1, Integer::sum);
    takenByHosts.merge(host, 1, Integer::sum);
  }

  private static SluiceException full(String field, Object whose, int count, String setting) {
    return SluiceException.conflict(
        field,
        whose,
        (field.equals("tenant") ? "The tenant has " : "The source's host has ")
            + count
            + " registrations, as many as it may",
        "Remove some, wait until they end, or have an operator raise " + setting);
  }
}
