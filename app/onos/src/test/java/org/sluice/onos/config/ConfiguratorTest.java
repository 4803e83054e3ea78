// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.DefaultApplicationId;
import org.onosproject.net.config.Config;
import org.onosproject.net.config.NetworkConfigEvent;
import org.onosproject.net.config.NetworkConfigListener;
import org.onosproject.net.config.NetworkConfigRegistryAdapter;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.testing.ConfigurationConformance;
import org.sluice.onos.SluiceManager;

class ConfiguratorTest extends ConfigurationConformance {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ApplicationId ID = new DefaultApplicationId(1, "org.sluice");

  private final Registry registry = new Registry();

  /** ONOS's, with what stands in it now. */
  private static final class Registry extends NetworkConfigRegistryAdapter {
    private NetworkConfigListener listener;
    private SluiceConfig config;

    void put(String document) {
      config = document.isEmpty() ? null : new SluiceConfig();
      if (config != null) {
        config.init(ID, SluiceConfig.KEY, tree(document), MAPPER, change -> {});
      }
    }

    private static JsonNode tree(String document) {
      try {
        return MAPPER.readTree(document);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void addListener(NetworkConfigListener added) {
      listener = added;
    }

    @Override
    public <S, C extends Config<S>> C getConfig(S subject, Class<C> type) {
      return type.cast(config);
    }
  }

  @Override
  protected OperatorConfiguration begun(String document) {
    registry.put(document);
    Configurator configurator = new Configurator();
    configurator.registry = registry;
    configurator.application =
        new SluiceManager() {
          @Override
          public ApplicationId id() {
            return ID;
          }
        };
    configurator.activate();
    return configurator;
  }

  @Override
  protected void write(String document) {
    registry.put(document);
    registry.listener.event(
        new NetworkConfigEvent(NetworkConfigEvent.Type.CONFIG_UPDATED, ID, SluiceConfig.class));
  }
}
