// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import javax.ws.rs.client.Entity;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** Entity tags, and requests that depend on them. */
class ConditionalRequestsTest extends RestTestBase {
  private static final TenantId RED = TenantId.of("red");
  private static final String FLOW =
      "{\"source\":\"10.0.0.1\",\"destination\":\"10.0.0.5\",\"sizeBytes\":400000,"
          + "\"dueInMillis\":300}";
  private static final String PROFILES = "{\"name\":\"mine\"}";

  @BeforeEach
  void tenant() throws SluiceException {
    services.tenants.put(RED, Tenant.builder(RED).build());
  }

  private String tag(String path) {
    return tag(get(path));
  }

  private static String tag(Response response) {
    String tag = response.getHeaderString("ETag");
    assertThat(tag).matches("\"[^\"]+\"");
    return tag;
  }

  private Response change(String method, String path, String body, String ifMatch) {
    return at(path).header("If-Match", ifMatch).method(method, Entity.json(body));
  }

  private double weight() {
    return services.tenants.get(RED).weight();
  }

  @Test
  void unchangedResourceIsNotSentAgain() {
    for (String path : new String[] {"tenants", "tenants/red", "policies"}) {
      Response known = at(path).header("If-None-Match", "W/" + tag(path)).get();
      assertThat(known.getStatus()).as(path).isEqualTo(304);
      assertThat(known.hasEntity()).as(path).isFalse();
      assertThat(at(path).header("If-None-Match", "\"x\"").get().getStatus()).isEqualTo(200);
    }
  }

  @Test
  void entityTagChangesWithTheResource() {
    String before = tag("tenants/red");
    String all = tag("tenants");
    String made = tag(send("PATCH", "tenants/red", "{\"weight\":2}"));

    assertThat(made).isEqualTo(tag("tenants/red")).isNotEqualTo(before);
    assertThat(tag("tenants")).isNotEqualTo(all);
    send("PATCH", "tenants/red", "{\"weight\":1}").close();
    assertThat(tag("tenants/red")).as("it is as it was").isEqualTo(before);
  }

  @Test
  void tenantIsChangedOnlyIfUnmodified() {
    String seen = tag("tenants/red");
    assertThat(change("PUT", "tenants/red", "{\"weight\":2}", seen).getStatus()).isEqualTo(200);

    for (String method : new String[] {"PUT", "PATCH"}) {
      Response refused = change(method, "tenants/red", "{\"weight\":3}", seen);
      assertThat(problem(refused, 412, "ETag", tag("tenants/red")).path("type").asText())
          .isEqualTo("urn:sluice:problem:stale");
    }
    problem(at("tenants/red").header("If-Match", seen).delete(), 412, "ETag", tag("tenants/red"));
    assertThat(weight()).isEqualTo(2);

    String list = "\"x\", " + tag("tenants/red");
    assertThat(at("tenants/red").header("If-Match", list).delete().getStatus()).isEqualTo(204);
  }

  /** Whatever was compared before somebody else was faster says nothing. */
  @Test
  void concurrentChangeIsDetected() throws Exception {
    String seen = tag("tenants/red");
    Tenant other = Tenant.builder(RED).weight(7).build();
    for (String method : new String[] {"PUT", "PATCH"}) {
      services.meanwhile = () -> services.tenants.put(RED, other);
      assertThat(change(method, "tenants/red", "{\"weight\":3}", seen).getStatus())
          .as(method)
          .isEqualTo(412);
      assertThat(weight()).isEqualTo(7);
      services.tenants.put(RED, Tenant.builder(RED).build());
    }
  }

  @Test
  void ifNoneMatchCreatesOnlyNewTenants() {
    assertThat(at("tenants/red").header("If-None-Match", "*").put(Entity.json("{}")).getStatus())
        .isEqualTo(412);
    assertThat(at("tenants/new").header("If-None-Match", "*").put(Entity.json("{}")).getStatus())
        .isEqualTo(201);
    assertThat(change("PUT", "tenants/none", "{}", "*").getStatus()).isEqualTo(412);
    assertThat(change("PUT", "tenants/red", "{\"weight\":2}", "*").getStatus()).isEqualTo(200);
    assertThat(services.tenants).doesNotContainKey(TenantId.of("none"));
  }

  @Test
  void weakTagNeverMatches() {
    String weak = "W/" + tag("tenants/red");
    assertThat(change("PUT", "tenants/red", "{\"weight\":2}", weak).getStatus()).isEqualTo(412);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "\"x", "\"x\" \"y\"", "\"x\",", "*, \"x\"", "\"a b\""})
  void malformedTagIsRejected(String header) {
    Response refused = change("PUT", "tenants/red", "{\"weight\":2}", header);
    assertThat(problem(refused, 400, "If-Match", header).path("remedy").asText()).contains("ETag");
    assertThat(weight()).isEqualTo(1);
  }

  @Test
  void registrationIsChangedOnlyIfUnmodified() {
    String seen = tag(send("POST", "flows", FLOW));
    assertThat(tag("flows/1")).isEqualTo(seen);
    services.flows.flows.computeIfPresent(
        1L, (id, flow) -> flow.toBuilder().remainingBytes(5).dueInNanos(1).build());
    assertThat(tag("flows/1")).as("what always changes does not count").isEqualTo(seen);

    String changed = tag(change("PUT", "flows/1", "{\"sizeBytes\":5}", seen));
    assertThat(change("PUT", "flows/1", "{\"sizeBytes\":6}", seen).getStatus()).isEqualTo(412);
    assertThat(at("flows/1").header("If-Match", seen).delete().getStatus()).isEqualTo(412);
    assertThat(services.flows.flows.get(1L).sizeBytes()).isEqualTo(5);
    assertThat(at("flows/1").header("If-Match", changed).delete().getStatus()).isEqualTo(204);
  }

  @Test
  void policiesAreReplacedOnlyIfUnmodified() {
    String none = tag("policies");
    String first = tag(change("PUT", "policies", PROFILES, none));
    assertThat(tag("policies")).isEqualTo(first);
    assertThat(change("PUT", "policies", PROFILES, none).getStatus()).isEqualTo(412);
    assertThat(change("POST", "policies/rollback", "{\"revision\":1}", none).getStatus())
        .isEqualTo(412);
    assertThat(at("policies").header("If-Match", none).delete().getStatus()).isEqualTo(412);
    assertThat(services.policies.history()).hasSize(1);

    assertThat(at("policies").header("If-Match", first).delete().getStatus()).isEqualTo(204);
    assertThat(at("policies").header("If-Match", first).delete().getStatus()).isEqualTo(412);
  }
}
