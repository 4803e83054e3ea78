// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.DefaultApplicationId;
import org.onosproject.net.config.Config;
import org.onosproject.net.config.NetworkConfigRegistryAdapter;
import org.sluice.api.PortId;
import org.sluice.onos.SluiceManager;

class ConfiguratorTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ApplicationId ID = new DefaultApplicationId(1, "org.sluice");

  private static Configurator started(String port) throws IOException {
    SluiceConfig config = new SluiceConfig();
    String text = "{\"ports\": {\"" + port + "\": {\"capacityMbps\": 50}}}";
    config.init(ID, SluiceConfig.KEY, MAPPER.readTree(text), MAPPER, change -> {});
    Configurator configurator = new Configurator();
    configurator.application =
        new SluiceManager() {
          @Override
          public ApplicationId id() {
            return ID;
          }
        };
    configurator.registry =
        new NetworkConfigRegistryAdapter() {
          @Override
          public <S, C extends Config<S>> C getConfig(S subject, Class<C> type) {
            return type.cast(config);
          }
        };
    configurator.activate();
    return configurator;
  }

  @Test
  void readsWhatOnosHas() throws Exception {
    assertThat(started("of:0000000000000001/5").capacitiesBitsPerSecond())
        .containsOnlyKeys(PortId.parse("of:0000000000000001/5"));
  }

  /** An earlier release may have taken what this one refuses: it starts all the same. */
  @Test
  void startsWithoutAConfigurationThatIsRefused() throws Exception {
    assertThat(started("of:000000000000000A/5").capacitiesBitsPerSecond()).isEmpty();
  }
}
