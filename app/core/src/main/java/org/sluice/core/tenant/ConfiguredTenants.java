// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.core.configuration.WrittenTenant;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.spi.OperatorConfiguration;

/**
 * Sets the tenants of the operator's configuration when it changes, one by one. What was set
 * through REST or the command line meanwhile and is not named there stays.
 */
public final class ConfiguredTenants {
  private static final Logger log = LoggerFactory.getLogger(ConfiguredTenants.class);

  private final OperatorConfiguration configuration;
  private final TenantAdminService tenants;
  private final JournalWriter journal;
  private final Runnable listener = this::changed;

  public ConfiguredTenants(
      OperatorConfiguration configuration, TenantAdminService tenants, JournalWriter journal) {
    this.configuration = configuration;
    this.tenants = tenants.by("the network configuration").allowingRefusedAddresses();
    this.journal = journal;
  }

  public void start() {
    configuration.tenantsEpoch().addListener(listener);
    // What an earlier start already set was perhaps changed since: only tenants unknown are set.
    configuration.tenants().stream()
        .filter(tenant -> tenants.tenant(tenant.id()).isEmpty())
        .forEach(this::set);
  }

  public void stop() {
    configuration.tenantsEpoch().removeListener(listener);
  }

  private void changed() {
    configuration.tenants().forEach(this::set);
  }

  private void set(Tenant tenant) {
    try {
      tenants.put(tenant);
    } catch (SluiceException refused) {
      SluiceException e = WrittenTenant.inMegabits(refused);
      String reason = e.field().orElse("") + " = " + e.value() + ": " + e.getMessage();
      log.warn("Tenant {} of the configuration is refused: {}", tenant.id(), reason);
      journal.write(
          JournalEntry.Kind.REFUSED,
          "Tenant " + tenant.id() + " of the configuration refused",
          reason + ". " + e.remedy());
    }
  }
}
