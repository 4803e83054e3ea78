// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.sim.agent.LevelParameters;
import org.sluice.sim.deployment.LevelQueueParameters;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.document.KeyPath;
import org.sluice.sim.scenario.document.SchemaCheck;
import org.sluice.sim.scenario.document.YamlReader;
import org.sluice.sim.shim.law.SdnGccParameters;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;

class RecordOverridesTest {
  @Test
  void replacesOnlySetComponents() {
    Fields law = new Fields(YamlReader.read("x", "timer: 1 ms\ngracePeriods: 2.5\n"), KeyPath.ROOT);

    SdnGccParameters changed = RecordOverrides.of(SdnGccParameters.DEFAULTS, law);

    assertThat(changed.timerNanos()).isEqualTo(1_000_000);
    assertThat(changed.gracePeriods()).isEqualTo(2.5);
    assertThat(changed.cutBitsPerMark()).isEqualTo(SdnGccParameters.DEFAULTS.cutBitsPerMark());
  }

  /** A constant that a law gains is to be settable too. */
  @Test
  void theSchemaHasEveryConstant() throws IOException {
    List<String> ofSluice = names(TwoTimeScaleParameters.class);
    // A record of its own, and no scenario's matter: they follow from the capacity.
    ofSluice.remove("notices");
    assertThat(keys("sluice")).containsAll(ofSluice);
    List<String> ofSdnGcc = names(SdnGccParameters.class);
    // T_i is the control plane's.
    ofSdnGcc.remove("period");
    assertThat(keys("sdn-gcc")).containsAll(ofSdnGcc);
    List<String> ofLevels = names(LevelQueueParameters.class);
    ofLevels.addAll(names(LevelParameters.class));
    assertThat(names(schema().at("/$defs/levels/properties"))).containsAll(ofLevels);
  }

  private static List<String> names(Class<? extends Record> type) {
    List<String> names = new ArrayList<>();
    Arrays.stream(type.getRecordComponents())
        .forEach(component -> names.add(component.getName().replaceAll("(Nanos|Bytes)$", "")));
    return names;
  }

  private static List<String> keys(String law) throws IOException {
    List<String> keys = new ArrayList<>();
    for (JsonNode variant : schema().at("/$defs/law/allOf")) {
      if (variant.at("/if/properties/name/const").asText().equals(law)) {
        keys.addAll(names(variant.at("/then/properties")));
      }
    }
    return keys;
  }

  private static List<String> names(JsonNode properties) {
    List<String> names = new ArrayList<>();
    properties.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static JsonNode schema() throws IOException {
    try (InputStream text = SchemaCheck.class.getResourceAsStream("scenario.schema.json")) {
      return new ObjectMapper().readTree(text);
    }
  }
}
