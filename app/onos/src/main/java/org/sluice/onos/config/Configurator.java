// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import java.util.List;
import java.util.Map;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.config.ConfigFactory;
import org.onosproject.net.config.InvalidFieldException;
import org.onosproject.net.config.NetworkConfigEvent;
import org.onosproject.net.config.NetworkConfigListener;
import org.onosproject.net.config.NetworkConfigRegistry;
import org.onosproject.net.config.basics.SubjectFactories;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.PortId;
import org.sluice.api.Tenant;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.Inventory;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.onos.SluiceApplication;

/** Makes the network configuration known to ONOS and follows what is in it. */
@Component(immediate = true, service = OperatorConfiguration.class)
public class Configurator implements OperatorConfiguration {
  private static final Logger log = LoggerFactory.getLogger(Configurator.class);

  @Reference NetworkConfigRegistry registry;
  @Reference SluiceApplication application;

  private final Epoch epoch = new Epoch();
  private final Epoch tenantsEpoch = new Epoch();
  private final NetworkConfigListener listener = this::changed;
  private final ConfigFactory<ApplicationId, SluiceConfig> factory =
      new ConfigFactory<ApplicationId, SluiceConfig>(
          SubjectFactories.APP_SUBJECT_FACTORY, SluiceConfig.class, SluiceConfig.KEY) {
        @Override
        public SluiceConfig createConfig() {
          return new SluiceConfig();
        }
      };
  private volatile Map<PortId, Long> capacities = Map.of();
  private volatile List<Tenant> tenants = List.of();
  private volatile Inventory inventory = Inventory.EMPTY;

  @Activate
  void activate() {
    registry.addListener(listener);
    registry.registerConfigFactory(factory);
    read();
  }

  @Deactivate
  void deactivate() {
    registry.removeListener(listener);
    registry.unregisterConfigFactory(factory);
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, Long> capacitiesBitsPerSecond() {
    return capacities;
  }

  @Override
  public Inventory inventory() {
    return inventory;
  }

  @Override
  public Epoch tenantsEpoch() {
    return tenantsEpoch;
  }

  @Override
  public List<Tenant> tenants() {
    return tenants;
  }

  private void changed(NetworkConfigEvent event) {
    if (SluiceConfig.class.equals(event.configClass())) {
      read();
      tenantsEpoch.advance();
    }
  }

  /** ONOS checks what is written, not what it had from before an upgrade. */
  private static boolean isTaken(SluiceConfig config) {
    try {
      return config.isValid();
    } catch (InvalidFieldException e) {
      log.error(
          "The network configuration is not read: {}: {}. Write it anew", e.field(), e.reason());
      return false;
    }
  }

  private void read() {
    SluiceConfig config = registry.getConfig(application.id(), SluiceConfig.class);
    if (config != null && !isTaken(config)) {
      return;
    }
    Map<PortId, Long> now = config == null ? Map.of() : config.capacitiesBitsPerSecond();
    tenants = config == null ? List.of() : config.tenants();
    Inventory inventoryNow = config == null ? Inventory.EMPTY : config.inventory();
    if (!now.equals(capacities) || !inventoryNow.equals(inventory)) {
      capacities = now;
      inventory = inventoryNow;
      epoch.advance();
    }
  }
}
