// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.onosproject.core.DefaultApplicationId;
import org.onosproject.net.config.InvalidFieldException;
import org.sluice.api.Tenant;

/** Whatever stands in the network configuration, it holds or is refused. */
class NetworkConfigFuzzTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @FuzzTest
  void anyConfiguration(byte[] text) {
    JsonNode json;
    try {
      json = MAPPER.readTree(text);
    } catch (IOException e) {
      return; // ONOS refuses it.
    }
    if (json == null || !json.isObject()) {
      return;
    }
    SluiceConfig config = new SluiceConfig();
    config.init(
        new DefaultApplicationId(1, "org.sluice"), SluiceConfig.KEY, json, MAPPER, change -> {});
    try {
      config.isValid();
    } catch (InvalidFieldException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    assertThat(config.capacitiesBitsPerSecond().values()).allMatch(capacity -> capacity > 0);
    assertThat(config.tenants()).extracting(Tenant::id).doesNotHaveDuplicates();
  }
}
