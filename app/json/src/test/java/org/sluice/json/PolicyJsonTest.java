// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.harrel.jsonschema.ValidatorFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyConstraints;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicySet;

class PolicyJsonTest {
  private static final Path FILES = Paths.get("../../api/policies");
  private static final String POLICY = "{'name': 'fast', 'hints': {'initialWindow': 20}";

  private static String text(String file) throws IOException {
    return new String(Files.readAllBytes(FILES.resolve(file)), StandardCharsets.UTF_8);
  }

  private static PolicySet read(String json) throws SluiceException, IOException {
    return PolicyJson.read(tree(json), "");
  }

  private static JsonNode tree(String json) throws IOException {
    return Json.MAPPER.readTree(json.replace('\'', '"'));
  }

  private static boolean isInSchema(String json) throws IOException {
    return new ValidatorFactory()
        .validate(text("policy-set.schema.json"), json.replace('\'', '"'))
        .isValid();
  }

  @Test
  void presetsMatchTheirFiles() throws Exception {
    assertThat(read(text("opentcp1.json"))).isEqualTo(PolicyPresets.openTcp1());
    assertThat(read(text("opentcp2.json"))).isEqualTo(PolicyPresets.openTcp2());
  }

  @ParameterizedTest
  @ValueSource(strings = {"opentcp1.json", "opentcp2.json", "web-and-storage.json"})
  void jsonRoundTripsAndMatchesTheSchema(String file) throws Exception {
    assertThat(isInSchema(text(file))).isTrue();
    PolicySet set = read(text(file));
    String written = PolicyJson.write(set).toString();
    assertThat(read(written)).isEqualTo(set);
    assertThat(isInSchema(written)).as(written).isTrue();
  }

  @Test
  void everyFieldIsRead() throws Exception {
    PolicySet set = read(text("web-and-storage.json"));
    assertThat(set.cycleNanos()).isEqualTo(10_000_000_000L);
    assertThat(set.constraints().guard()).isEqualTo(Limits.of(0.7, 0.001));
    assertThat(set.constraints().leastRtoMinNanos()).isEqualTo(4_000_000);
    assertThat(set.constraints().mostInitialWindowSegments()).isEqualTo(30);
    assertThat(set.constraints().congestionControls()).containsExactly("cubic", "dctcp");
    assertThat(set.groups()).hasSize(2);
    Policy answers = set.policies().get(0);
    assertThat(answers.scope()).isEqualTo(Policy.Scope.PAIRS);
    assertThat(answers.links()).isEqualTo(Policy.Links.PATH);
    assertThat(answers.sources()).containsExactly("web");
    assertThat(answers.destinations()).containsExactly("storage");
    assertThat(answers.enterBelow()).isEqualTo(Limits.of(0.5, Limits.NO_LIMIT));
    assertThat(answers.leaveAt()).isEqualTo(Limits.of(0.6, Limits.NO_LIMIT));
    assertThat(answers.leastCycles()).isEqualTo(3);
    assertThat(answers.hint().rtoMinNanos()).isEqualTo(4_000_000);
    assertThat(set.policies().get(1).hint().congestionControl()).isEqualTo("dctcp");
    assertThat(set.policies().get(1).hint().pacingBitsPerSecond()).isEqualTo(2_000_000_000L);
  }

  @Test
  void defaultsAreSafe() throws Exception {
    PolicySet set = read("{'name': 'mine', 'policies': [" + POLICY + "}]}");
    assertThat(set.constraints()).isEqualTo(PolicyConstraints.DEFAULTS);
    assertThat(set.constraints().guard()).isEqualTo(Limits.of(0.7, 0.001));
    assertThat(set.cycleNanos()).isEqualTo(60_000_000_000L);
    assertThat(set.policies().get(0).leaveAt()).isEqualTo(Limits.NONE);
  }

  /** Schema and reader refuse the same; only the reader can say what to do about it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "[]||Use an object",
        "{}|name|Use a name",
        "{'name': ''}|name|Use a name",
        "{'name': '../x'}|name|letter or digit first",
        "{'name': 'a', 'version': 2}|version|Use 1",
        "{'name': 'a', 'cycle': 2}|cycle|Use these fields",
        "{'name': 'a', 'cycleSeconds': 0.5}|cycleSeconds|1 to 3600",
        "{'name': 'a', 'cycleSeconds': '60'}|cycleSeconds|without quotes",
        "{'name': 'a', 'constraints': 5}|constraints|Use an object",
        "{'name': 'a', 'constraints': {'dropPercent': 0}}|constraints.dropPercent|more than 0",
        "{'name': 'a', 'constraints': {'mostInitialWindow': 1.5}}"
            + "|constraints.mostInitialWindow|simpler",
        "{'name': 'a', 'constraints': {'congestionControls': ['CUBIC']}}"
            + "|constraints.congestionControls[0]|cubic",
        "{'name': 'a', 'constraints': {'congestionControls': [7]}}"
            + "|constraints.congestionControls[0]|in quotes",
        "{'name': 'a', 'groups': [{'name': 'g'}]}|groups[0].hosts|Name a host",
        "{'name': 'a', 'groups': [{'name': 'g', 'hosts': 'h1'}]}|groups[0].hosts|Use an array",
        "{'name': 'a', 'groups': [null]}|groups[0]|Use an object",
        "{'name': 'a', 'policies': {}}|policies|Use an array",
        "{'name': 'a', 'policies': [{'name': 'p'}]}|policies[0].hints|initialWindow",
        "{'name': 'a', 'policies': [{'name': 'p', 'hints': {}}]}|policies[0].hints|initialWindow",
        "{'name': 'a', 'policies': [{'name': 'p', 'hints': {'initialWindow': 0}}]}"
            + "|policies[0].hints.initialWindow|Leave it out",
        "{'name': 'a', 'policies': [{'name': 'p', 'hints': {'rtoMinMillis': -2}}]}"
            + "|policies[0].hints.rtoMinMillis|more than 0",
        "{'name': 'a', 'policies': [{'name': 'p', 'hints': {'pacingBitsPerSecond': 500000}}]}"
            + "|policies[0].hints.pacingBitsPerSecond|Use 1 Mbit/s (1000000 bit/s) to 1000000 Mbit/s",
        "{'name': 'a', 'policies': [{'name': 'p', 'for': 'racks', 'hints': {'initialWindow': 20}}]}"
            + "|policies[0].for|pairs",
        "{'name': 'a', 'policies': [{'name': 'p', 'leastCycles': 0, 'hints': {'initialWindow': 9}}]}"
            + "|policies[0].leastCycles|1 to 1000",
        "{'name': 'a', 'policies': [{'name': 'p', 'enterBelow': {'utilisationPercent': 101},"
            + " 'hints': {'initialWindow': 9}}]}|policies[0].enterBelow.utilisationPercent|at most 100",
      })
  void refusalsNameFieldAndRemedy(String json, String field, String remedy) throws Exception {
    refused(json, field, remedy);
    assertThat(isInSchema(json)).as("the schema on " + json).isFalse();
  }

  /** What no schema can say. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'groups': [{'name': 'g', 'hosts': ['h1']}, {'name': 'g', 'hosts': ['h2']}]"
            + "|groups[1].name|another",
        "'groups': [{'name': 'g', 'hosts': ['h1']}, {'name': 'f', 'hosts': ['h1']}]"
            + "|groups[1].hosts[0]|every host once",
        "'policies': [{'name': 'p', 'hints': {'initialWindow': 45}}]"
            + "|policies[0].hints.initialWindow|at most 44",
        "'policies': [{'name': 'p', 'hints': {'rtoMinMillis': 0.5}}]"
            + "|policies[0].hints.rtoMinMillis|at least 1",
        "'constraints': {'congestionControls': ['cubic']},"
            + " 'policies': [{'name': 'p', 'hints': {'congestionControl': 'bbr'}}]"
            + "|policies[0].hints.congestionControl|Use one of cubic",
        "'policies': [{'name': 'p', 'from': ['g'], 'hints': {'initialWindow': 9}}]"
            + "|policies[0].from|Leave from out",
        "'policies': [{'name': 'p', 'for': 'groups', 'to': ['g'], 'hints': {'initialWindow': 9}}]"
            + "|policies[0].to|Leave to out",
        "'groups': [{'name': 'g', 'hosts': ['h1']}], 'policies': [{'name': 'p', 'for': 'groups',"
            + " 'from': ['f'], 'hints': {'initialWindow': 9}}]|policies[0].from[0]|such as g",
        "'policies': [{'name': 'p', 'enterBelow': {'utilisationPercent': 50},"
            + " 'leaveAt': {'utilisationPercent': 40}, 'hints': {'initialWindow': 9}}]"
            + "|policies[0].leaveAt.utilisationPercent|at least enterBelow",
        "'policies': [{'name': 'p', 'hints': {'initialWindow': 9}},"
            + " {'name': 'p', 'hints': {'initialWindow': 9}}]|policies[1].name|another",
      })
  void contradictionsAreRefused(String rest, String field, String remedy) throws Exception {
    refused("{'name': 'a', " + rest + "}", field, remedy);
  }

  @Test
  void errorsHaveTheFieldPath() throws Exception {
    SluiceException refusal =
        catchThrowableOfType(
            SluiceException.class,
            () -> PolicyJson.read(tree("{'name': 'a', 'cycleSeconds': 0}"), "law.policies"));
    assertThat(refusal.field()).contains("law.policies.cycleSeconds");
  }

  private static void refused(String json, String field, String remedy) {
    SluiceException refusal = catchThrowableOfType(SluiceException.class, () -> read(json));
    assertThat(refusal).as(json).isNotNull();
    assertThat(refusal.field().orElse("")).isEqualTo(field == null ? "" : field);
    assertThat(refusal.remedy()).contains(remedy);
    assertThat(refusal.getMessage()).isNotBlank();
  }
}
