// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.ws.rs.client.Entity;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.policy.PolicyPresets;
import org.sluice.api.policy.PolicyRevision;

/** Policies by REST: read, tried, applied, rolled back, withdrawn. */
class PoliciesResourceTest extends RestTestBase {
  private static final Path PRESETS = Path.of("..", "..", "api", "policies");
  private static final String TENANT = "sluice-tenant sluice-tenant-red";

  private static String preset(String name) {
    try {
      return Files.readString(PRESETS.resolve(name + ".json"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode applied(String body) {
    Response response = send("PUT", "policies", body);
    assertThat(response.getStatus()).isEqualTo(200);
    return json(response);
  }

  @Test
  void presetFilesMatchThePresets() {
    applied(preset("opentcp1"));
    applied(preset("opentcp2"));
    assertThat(services.policies.revisions)
        .extracting(PolicyRevision::set)
        .containsExactly(
            Optional.of(PolicyPresets.openTcp2()), Optional.of(PolicyPresets.openTcp1()));
  }

  @Test
  void appliedSetIsCurrentAndHasItsAuthor() {
    JsonNode made = applied(preset("opentcp2"));
    assertThat(made.path("revision").asLong()).isEqualTo(1);
    assertThat(made.path("author").asText()).isEqualTo("test");
    assertThat(made.path("rolledBackTo").isNull()).isTrue();
    assertThat(made.path("set").path("cycleSeconds").asInt()).isEqualTo(60);
    JsonNode state = json(get("policies"));
    assertThat(state.path("current")).isEqualTo(made);
    assertThat(state.path("evaluatedHere").asBoolean()).isTrue();
    assertThat(state.path("decisions").get(0).toString())
        .isEqualTo(
            "{\"policy\":\"fast\",\"from\":\"web\",\"to\":\"storage\",\"active\":true,"
                + "\"reason\":\"holds\",\"cycles\":3,\"utilisationPercent\":10,"
                + "\"dropPercent\":0.0123,\"fullestLink\":\"of:0000000000000001/5\"}");
    assertThat(state.path("hints").get(0).toString())
        .isEqualTo(
            "{\"from\":\"web\",\"to\":\"storage\",\"hints\":{\"initialWindow\":20,"
                + "\"rtoMinMillis\":2,\"congestionControl\":\"dctcp\",\"pacingBitsPerSecond\":5000000}}");
  }

  @Test
  void nothingIsCurrentInitially() {
    services.policies.makePlain();
    JsonNode state = json(get("policies"));
    assertThat(state.path("current").isNull()).isTrue();
    assertThat(state.path("fault").isNull()).isTrue();
    assertThat(state.path("decisions").get(0).path("utilisationPercent").isNull()).isTrue();
    assertThat(json(get("policies/history")).path("revisions")).isEmpty();
  }

  @Test
  void revisionsCanBeRestoredAndWithdrawn() {
    applied("{\"name\":\"one\"}");
    applied("{\"name\":\"two\"}");
    Response back = send("POST", "policies/rollback", "{\"revision\":1}");
    assertThat(back.getStatus()).isEqualTo(200);
    JsonNode made = json(back);
    assertThat(made.path("rolledBackTo").asLong()).isEqualTo(1);
    assertThat(made.path("set").path("name").asText()).isEqualTo("one");
    services.policies.fault = Optional.empty();
    assertThat(at("policies").delete().getStatus()).isEqualTo(204);
    assertThat(at("policies").delete().getStatus()).as("there are none already").isEqualTo(204);
    JsonNode history = json(get("policies/history")).path("revisions");
    assertThat(history).hasSize(4);
    assertThat(history.get(0).path("set").isNull()).isTrue();
    problem(send("POST", "policies/rollback", "{\"revision\":9}"), 404, "revision", "9");
  }

  @ParameterizedTest
  @CsvSource({
    "{}, revision, ''",
    "'{\"revision\":0}', revision, 0",
    "'{\"revision\":1.5}', revision, 1.5",
    "'{\"revision\":\"1\"}', revision, '\"1\"'",
  })
  void rollbackRequiresARevision(String body, String field, String value) {
    problem(send("POST", "policies/rollback", body), 400, field, value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"policies", "policies/validate", "policies/dry-run"})
  void invalidSetIsRejectedEquallyByAllOperations(String path) {
    String method = path.equals("policies") ? "PUT" : "POST";
    problem(
        send(method, path, "{\"name\":\"x\",\"cycleSeconds\":0.5}"), 400, "cycleSeconds", "0.5");
    problem(
        send(method, path, "{\"name\":\"x\",\"policies\":[{\"name\":\"p\",\"hints\":{}}]}"),
        400,
        "policies[0].hints",
        "");
    problem(send(method, path, "[]"), 400, "body", "[]");
    assertThat(services.policies.revisions).isEmpty();
  }

  @Test
  void dryRunAndValidationChangeNothing() {
    JsonNode tried = json(send("POST", "policies/dry-run", preset("opentcp1")));
    assertThat(tried.path("findings").get(0).path("field").asText())
        .isEqualTo("policies[0].from[0]");
    assertThat(tried.path("decisions")).hasSize(1);
    assertThat(tried.path("hints")).hasSize(1);
    JsonNode validated = json(send("POST", "policies/validate", preset("opentcp1")));
    assertThat(validated.path("findings")).isEqualTo(tried.path("findings"));
    problem(send("POST", "policies/dry-run", "{\"name\":\"huge\"}"), 409, "policies", "huge");
    problem(send("PUT", "policies", "{\"name\":\"huge\"}"), 409, "policies", "huge");
    assertThat(services.policies.revisions).isEmpty();
  }

  @Test
  void hostsShowSentAndReportedHints() {
    JsonNode host = json(get("policies/hosts")).path("hosts").get(0);
    assertThat(host.path("state").asText()).isEqualTo("in-force");
    assertThat(host.path("sent").get(0).path("destinations").get(0).asText())
        .isEqualTo("10.0.0.4/30");
    assertThat(host.path("applied").get(0).path("routes").asInt()).isEqualTo(2);
    assertThat(host.path("refused")).hasSize(1);
  }

  @Test
  void onlyAdministratorsMayChangeAndTenantUsersSeeNothing() {
    Entity<String> set = Entity.json(preset("opentcp1"));
    for (String roles : List.of("viewer", TENANT, TENANT + " sluice-deadlines")) {
      problem(as(roles, "policies").put(set), 403, "method", "PUT");
      problem(as(roles, "policies").delete(), 403, "method", "DELETE");
      problem(as(roles, "policies/dry-run").post(set), 403, "method", "POST");
      problem(as(roles, "policies/rollback").post(Entity.json("{}")), 403, "method", "POST");
    }
    for (String path : List.of("policies", "policies/history", "policies/hosts")) {
      assertThat(as("viewer", path).get().getStatus()).isEqualTo(200);
      problem(as(TENANT, path).get(), 403, "method", "GET");
    }
    assertThat(services.policies.revisions).isEmpty();
  }
}
