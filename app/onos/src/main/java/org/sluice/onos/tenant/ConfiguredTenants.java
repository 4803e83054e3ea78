// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.tenant;

import org.onosproject.net.config.NetworkConfigEvent;
import org.onosproject.net.config.NetworkConfigListener;
import org.onosproject.net.config.NetworkConfigService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.JournalEntry;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.onos.config.ConfiguredCapacities;
import org.sluice.onos.config.SluiceConfig;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.setting.SettingService;

/**
 * Sets the tenants of the network configuration when it changes, one by one. What was set through
 * REST or the command line meanwhile and is not named there stays.
 */
@Component(
    immediate = true,
    service = {})
public class ConfiguredTenants {
  private static final Logger log = LoggerFactory.getLogger(ConfiguredTenants.class);

  @Reference NetworkConfigService configs;
  @Reference SettingService settings;
  @Reference TenantAdminService tenants;
  @Reference Chronicle chronicle;

  /** Its presence means that ONOS knows the configuration's class. */
  @Reference ConfiguredCapacities configured;

  private final NetworkConfigListener listener = this::changed;

  @Activate
  void activate() {
    configs.addListener(listener);
    // What an earlier life already set was perhaps changed since: only tenants unknown are set.
    SluiceConfig config = configs.getConfig(settings.applicationId(), SluiceConfig.class);
    if (config != null) {
      config.tenants().stream()
          .filter(tenant -> tenants.tenant(tenant.id()).isEmpty())
          .forEach(this::set);
    }
  }

  @Deactivate
  void deactivate() {
    configs.removeListener(listener);
  }

  private void changed(NetworkConfigEvent event) {
    boolean holds =
        event.type() == NetworkConfigEvent.Type.CONFIG_ADDED
            || event.type() == NetworkConfigEvent.Type.CONFIG_UPDATED;
    if (SluiceConfig.class.equals(event.configClass()) && holds) {
      event.config().map(SluiceConfig.class::cast).ifPresent(c -> c.tenants().forEach(this::set));
    }
  }

  private void set(Tenant tenant) {
    try {
      tenants.put(tenant);
    } catch (SluiceException e) {
      String reason = e.field().orElse("") + " = " + e.value() + ": " + e.getMessage();
      log.warn("Tenant {} of the network configuration is refused: {}", tenant.id(), reason);
      chronicle.write(
          JournalEntry.Kind.REFUSED,
          "Tenant " + tenant.id() + " of the network configuration refused",
          reason + ". " + e.remedy());
    }
  }
}
