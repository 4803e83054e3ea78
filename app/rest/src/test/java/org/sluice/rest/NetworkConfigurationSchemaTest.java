// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.harrel.jsonschema.ValidatorFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema of the network configuration in the documents, beside its example. */
class NetworkConfigurationSchemaTest {
  private static final Path DIRECTORY = Path.of("../../docs/netcfg");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static JsonNode read(String name) throws IOException {
    return MAPPER.readTree(Files.readString(DIRECTORY.resolve(name), UTF_8));
  }

  private static boolean isValid(String json) throws IOException {
    return new ValidatorFactory()
        .validate(read("schema.json").toString(), json.replace('\'', '"'))
        .isValid();
  }

  @Test
  void theExampleIsValid() throws Exception {
    assertThat(isValid(read("example.json").at("/apps/org.sluice/sluice").toString())).isTrue();
    assertThat(isValid("{}")).isTrue();
  }

  /** Fields that REST's reader takes, and no others; rates are in Mbit/s. */
  @Test
  void tenantFieldsMatchRest() throws Exception {
    JsonNode schema = read("schema.json");
    JsonNode openApi =
        MAPPER.readTree(getClass().getResourceAsStream("/org/sluice/rest/openapi.json"));
    assertThat(names(schema.at("/$defs/tenant/properties")))
        .isEqualTo(inMegabits(names(openApi.at("/components/schemas/Tenant/properties"))));
    assertThat(names(schema.at("/$defs/member/properties")))
        .isEqualTo(names(openApi.at("/components/schemas/Member/properties")));
  }

  private static Set<String> inMegabits(Set<String> names) {
    return names.stream()
        .map(name -> name.replace("BitsPerSecond", "Mbps"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> names(JsonNode object) {
    Set<String> names = new TreeSet<>();
    for (Iterator<Map.Entry<String, JsonNode>> i = object.fields(); i.hasNext(); ) {
      names.add(i.next().getKey());
    }
    return names;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'port': {}}",
        "{'ports': {'s1': {'capacityMbps': 5}}}",
        "{'ports': {'host:h1/vm0': {'capacityMbps': 5}}}",
        "{'ports': {'of:000000000000000A/5': {'capacityMbps': 5}}}",
        "{'ports': {'of:b/1': {'capacityMbps': 5}}}",
        "{'ports': {'OF:0000000000000001/5': {'capacityMbps': 5}}}",
        "{'ports': {'of:0000000000000001/05': {'capacityMbps': 5}}}",
        "{'ports': {'of:0000000000000001/5': {'capacityMbps': 0}}}",
        "{'ports': {'of:0000000000000001/5': {}}}",
        "{'tenants': {}}",
        "{'tenants': [{'weight': 1}]}",
        "{'tenants': [{'id': 't1', 'weight': 0}]}",
        "{'tenants': [{'id': 't1', 'guaranteeMbps': '5'}]}",
        "{'tenants': [{'id': 't1', 'ecn': 'maybe'}]}",
        "{'tenants': [{'id': 't1', 'members': [{}]}]}",
        "{'tenants': [{'id': 't1', 'members': [{'host': 'h1'}]}]}",
        "{'tenants': [{'id': 't1', 'members': [{'mac': '02:00:00:00:01:08', 'ipPrefix':"
            + " '10.0.0.0/8'}]}]}",
        "{'tenants': [{'id': 't1', 'members': [{'bridge': 'br0', 'ipPrefix': '10.0.0.0/8'}]}]}",
        "{'tenants': [{'id': 't1', 'members': [{'bridge': 'br0', 'host': 'h1'}]}]}",
        "{'tenants': [{'id': 't1', 'members': [{'vlan': 0}]}]}",
        "{'tenants': [{'id': 't1', 'members': [{'namespace': 'Shop'}]}]}",
        "{'gateways': '10.0.0.1'}",
        "{'gateways': ['router']}",
        "{'addresses': {'10.0.0.7': 'vm0'}}",
        "{'addresses': {'ten': 'h1/vm0'}}"
      })
  void whatTheReaderRefusesIsNotValid(String json) throws Exception {
    assertThat(isValid(json)).isFalse();
  }
}
