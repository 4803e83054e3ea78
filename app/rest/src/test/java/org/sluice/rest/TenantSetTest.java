// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import javax.ws.rs.client.Entity;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** All tenants replaced at once. */
class TenantSetTest extends RestTestBase {
  private static final TenantId RED = TenantId.of("red");
  private static final TenantId BLUE = TenantId.of("blue");
  private static final String SET = "{\"tenants\":[{\"id\":\"blue\",\"weight\":3}]}";

  @BeforeEach
  void tenant() throws SluiceException {
    services.tenants.put(RED, Tenant.builder(RED).build());
  }

  @Test
  void setReplacesAllTenants() {
    JsonNode made = json(send("PUT", "tenants", SET));
    assertThat(made.toString())
        .isEqualTo(
            "{\"applied\":true,\"created\":[\"blue\"],\"changed\":[],"
                + "\"removed\":[\"default\",\"red\"],\"unchanged\":[],\"refusals\":[]}");
    assertThat(services.tenants).containsOnlyKeys(BLUE);
  }

  @Test
  void dryRunChangesNothing() {
    JsonNode would = json(send("PUT", "tenants?dryRun=true", SET));
    assertThat(would.path("applied").asBoolean()).isFalse();
    assertThat(would.path("created").toString()).isEqualTo("[\"blue\"]");
    assertThat(services.tenants).containsKey(RED).doesNotContainKey(BLUE);
    problem(send("PUT", "tenants?dryRun=1", SET), 400, "dryRun", "1");
    assertThat(services.tenants).containsKey(RED).doesNotContainKey(BLUE);
  }

  @Test
  void everyRejectionHasItsField() {
    String set =
        "{\"tenants\":[{\"id\":\"blue\",\"weight\":0},{\"weight\":2},"
            + "{\"id\":\"green\",\"members\":[{\"ipPrefix\":\"10.0.0.0/8\"},{\"mac\":\"x\"}]}]}";
    JsonNode refused = problem(send("PUT", "tenants", set), 400, "tenants[0].weight", "0.0");
    assertThat(refused.path("refusals"))
        .extracting(one -> one.path("pointer").asText())
        .containsExactly("/tenants/0/weight", "/tenants/1/id", "/tenants/2/members/1/mac");
    assertThat(refused.path("refusals"))
        .allMatch(one -> !one.path("detail").asText().isEmpty())
        .allMatch(one -> !one.path("remedy").asText().isEmpty());

    JsonNode dry = json(send("PUT", "tenants?dryRun=true", set));
    assertThat(dry.path("refusals")).isEqualTo(refused.path("refusals"));
    assertThat(services.tenants).containsOnlyKeys(TenantId.DEFAULT, RED);
  }

  @Test
  void infeasibleGuaranteeIsAConflict() {
    String set =
        "{\"tenants\":[{\"id\":\"blue\"},{\"id\":\"red\",\"guaranteeBitsPerSecond\":50000000}]}";
    JsonNode refused =
        problem(send("PUT", "tenants", set), 409, "tenants[1].guaranteeBitsPerSecond", "50000000");
    assertThat(refused.at("/refusals/0/pointer").asText())
        .isEqualTo("/tenants/1/guaranteeBitsPerSecond");
    assertThat(services.tenants).containsOnlyKeys(TenantId.DEFAULT, RED);
  }

  @Test
  void invalidSetIsRejected() {
    problem(send("PUT", "tenants", "{}"), 400, "tenants", "");
    problem(send("PUT", "tenants", "{\"tenants\":{}}"), 400, "tenants", "{}");
    problem(send("PUT", "tenants", "{\"tenants\":[],\"x\":1}"), 400, "x", "1");
    assertThat(services.tenants).containsKey(RED);
  }

  @Test
  void setIsReplacedOnlyIfUnmodified() {
    String seen = get("tenants").getHeaderString("ETag");
    services.tenants.remove(RED);
    Response refused = at("tenants").header("If-Match", seen).put(Entity.json(SET));
    assertThat(refused.getStatus()).isEqualTo(412);
    assertThat(services.tenants).doesNotContainKey(BLUE);
  }

  @Test
  void setSizeIsLimited() {
    StringBuilder set = new StringBuilder("{\"tenants\":[{\"id\":\"a\"}");
    for (int i = 0; i < 4000; i++) {
      set.append(",{\"id\":\"tenant")
          .append(i)
          .append("\",\"weight\":2,\"guaranteeBitsPerSecond\":0,")
          .append("\"members\":[{\"host\":\"h1\",\"interface\":\"vm")
          .append(i)
          .append("\"}]}");
    }
    String closed = set + "]}";
    assertThat(closed.length()).isGreaterThan(300_000);
    assertThat(send("PUT", "tenants?dryRun=true", closed).getStatus()).isEqualTo(200);
    String longer = closed + " ".repeat(1 << 20);
    problem(
        send("PUT", "tenants?dryRun=true", longer), 413, "body", (1 << 20) + 1 + " bytes or more");
  }

  @Test
  void onlyAdministratorsReplace() {
    problem(as("viewer", "tenants").put(Entity.json(SET)), 403, "method", "PUT");
    assertThat(services.tenants).containsKey(RED);
  }
}
