// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import java.util.Optional;
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
import org.sluice.core.configuration.OperatorDocument;
import org.sluice.core.configuration.WrittenConfiguration;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.onos.SluiceManager;

/** Makes the network configuration known to ONOS and follows what is in it. */
@Component(immediate = true, service = OperatorConfiguration.class)
public class Configurator extends WrittenConfiguration {
  private static final Logger log = LoggerFactory.getLogger(Configurator.class);

  @Reference NetworkConfigRegistry registry;
  @Reference SluiceManager application;

  private final NetworkConfigListener listener = this::changed;
  private final ConfigFactory<ApplicationId, SluiceConfig> factory =
      new ConfigFactory<ApplicationId, SluiceConfig>(
          SubjectFactories.APP_SUBJECT_FACTORY, SluiceConfig.class, SluiceConfig.KEY) {
        @Override
        public SluiceConfig createConfig() {
          return new SluiceConfig();
        }
      };

  @Activate
  void activate() {
    registry.addListener(listener);
    registry.registerConfigFactory(factory);
    read().ifPresent(this::begin);
  }

  @Deactivate
  void deactivate() {
    registry.removeListener(listener);
    registry.unregisterConfigFactory(factory);
  }

  private void changed(NetworkConfigEvent event) {
    if (SluiceConfig.class.equals(event.configClass())) {
      read().ifPresent(this::write);
    }
  }

  /** ONOS checks what is written, not what it had from before an upgrade. */
  private Optional<OperatorDocument> read() {
    SluiceConfig config = registry.getConfig(application.id(), SluiceConfig.class);
    try {
      return Optional.of(config == null ? OperatorDocument.EMPTY : config.document());
    } catch (InvalidFieldException e) {
      log.error(
          "The network configuration is not read: {}: {}. Write it anew", e.field(), e.reason());
      return Optional.empty();
    }
  }
}
