// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.ws.rs.client.Entity;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowStatus;

/** A tenant's user sees its own things, and nothing of others. */
class TenantAccessTest extends RestTestBase {
  private static final String RED = "sluice-tenant sluice-tenant-red";
  private static final String BLUE = "sluice-tenant sluice-tenant-blue";
  private static final String REGISTERING = " sluice-deadlines";
  private static final String FROM_RED = flow("10.0.0.2");
  private static final String FROM_DEFAULT = flow("10.0.0.1");

  /** Two tenants; red has h2/vm0, and the first of two registrations. */
  @BeforeEach
  void twoTenants() throws SluiceException {
    for (String name : List.of("red", "blue")) {
      TenantId id = TenantId.of(name);
      services.tenants.put(id, Tenant.builder(id).build());
    }
    services.others.add(
        Endpoint.of(
            EndpointId.of(HostId.of("h2"), "vm0"),
            MacAddress.parse("02:00:00:00:02:01"),
            Set.of(IpAddress.parse("10.0.0.2")),
            TenantId.of("red"),
            Optional.empty(),
            0));
    send("POST", "flows", FROM_RED).close();
    send("POST", "flows", FROM_RED).close();
    FlowStatus second = services.flows.flows.get(2L);
    services.flows.flows.put(2L, second.toBuilder().tenant(TenantId.of("blue")).build());
  }

  private static String flow(String source) {
    return "{\"source\":\""
        + source
        + "\",\"destination\":\"10.0.0.9\",\"sizeBytes\":1000,\"dueInMillis\":300}";
  }

  private JsonNode read(String roles, String path) {
    Response response = as(roles, path).get();
    assertThat(response.getStatus()).isEqualTo(200);
    return json(response);
  }

  private static List<String> values(JsonNode list, String field) {
    List<String> found = new ArrayList<>();
    list.forEach(one -> found.add(one.path(field).asText()));
    return found;
  }

  @Test
  void tenantUserSeesItsOwnResources() {
    assertThat(values(read(RED, "tenants").path("tenants"), "id")).containsExactly("red");
    assertThat(read(RED, "tenants/red").path("id").asText()).isEqualTo("red");
    assertThat(values(read(RED, "endpoints").path("endpoints"), "id")).containsExactly("h2/vm0");
    assertThat(read(RED, "endpoints/h2/vm0").path("tenant").asText()).isEqualTo("red");
    assertThat(values(read(RED, "flows").path("flows"), "id")).containsExactly("1");
    assertThat(values(read(RED, "flows?limit=1").path("flows"), "id")).containsExactly("1");
    assertThat(read(RED, "flows/1").path("id").asInt()).isEqualTo(1);
    JsonNode deadlines = read(RED, "deadlines");
    assertThat(values(deadlines.path("tenants"), "tenant")).containsExactly("red");
  }

  @Test
  void tenantUserSeesNoOtherTenantAndNoNetworkResource() {
    assertThat(values(read(BLUE, "tenants").path("tenants"), "id")).containsExactly("blue");
    assertThat(read(BLUE, "endpoints").path("endpoints")).isEmpty();
    assertThat(values(read(BLUE, "flows").path("flows"), "id")).containsExactly("2");
    JsonNode deadlines = read(BLUE, "deadlines");
    assertThat(deadlines.path("tenants")).isEmpty();
    assertThat(deadlines.path("congestedPorts")).isEmpty();
    assertThat(deadlines.path("seenBySwitches").path("beginnings").asInt()).isZero();
    assertThat(deadlines.path("seenBySwitches").path("ends").asInt()).isZero();
    assertThat(deadlines.path("losses").path("reported").asInt(-1)).isZero();
    assertThat(read(BLUE, "journal").path("entries")).isEmpty();
  }

  /** The same answer as for what does not exist: nobody can find out what others have. */
  @ParameterizedTest
  @CsvSource({
    "tenants/red, red, tenants/none, none",
    "endpoints/h2/vm0, h2/vm0, endpoints/h2/vm9, h2/vm9",
    "flows/1, 1, flows/9, 9",
  })
  void resourceOfAnotherTenantIsNotFound(String path, String id, String absent, String absentId) {
    String others = problem(as(BLUE, path).get(), 404, "id", id).toString();
    String none = problem(as(BLUE, absent).get(), 404, "id", absentId).toString();
    assertThat(others.replace(id, absentId)).isEqualTo(none);
  }

  @Test
  void tenantUserSeesItsOwnJournalEntriesUpToTheLimit() {
    JsonNode entries = read(RED, "journal?limit=1").path("entries");
    assertThat(values(entries, "sequence")).containsExactly("3");
    assertThat(values(entries, "tenant")).containsExactly("red");
    assertThat(read(RED, "journal?after=3").path("entries")).isEmpty();
    assertThat(read("viewer", "journal").path("entries")).hasSize(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "topology",
        "ports",
        "ports/of:0000000000000001/5",
        "hosts",
        "hosts/h1",
        "doctor",
        "cluster",
        "policies",
        "policies/history",
        "policies/hosts"
      })
  void networkResourcesAreForbidden(String path) {
    problem(as(RED, path).get(), 403, "method", "GET");
    problem(as(RED + REGISTERING, path).get(), 403, "method", "GET");
    assertThat(as("viewer", path).get().getStatus()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "manager", "sluice-tenant-red", "sluice-deadlines"})
  void userWithoutRoleSeesNothing(String roles) {
    for (String path : List.of("access", "tenants", "endpoints", "flows", "journal", "ports")) {
      problem(as(roles, path).get(), 403, "method", "GET");
    }
    problem(as(roles, "flows").post(Entity.json(FROM_RED)), 403, "method", "POST");
  }

  @Test
  void tenantUserChangesNothing() {
    for (String roles : List.of(RED, RED + REGISTERING)) {
      problem(as(roles, "tenants/red").put(Entity.json("{}")), 403, "method", "PUT");
      problem(as(roles, "tenants").post(Entity.json("{\"id\":\"x\"}")), 403, "method", "POST");
      problem(as(roles, "tenants/red").delete(), 403, "method", "DELETE");
    }
    problem(as(RED, "flows").post(Entity.json(FROM_RED)), 403, "method", "POST");
    problem(as(RED, "flows/1").put(Entity.json("{\"sizeBytes\":5}")), 403, "method", "PUT");
    problem(as(RED, "flows/1").delete(), 403, "method", "DELETE");
    problem(as("viewer", "flows/1").delete(), 403, "method", "DELETE");
    assertThat(services.flows.requests).hasSize(2);
    assertThat(services.flows.flows).hasSize(2);
  }

  @Test
  void deadlineRoleAllowsRegistrationForOwnEndpoints() {
    String roles = RED + REGISTERING;
    assertThat(as(roles, "flows").post(Entity.json(FROM_RED)).getStatus()).isEqualTo(201);
    Response changed = as(roles, "flows/1").put(Entity.json("{\"sizeBytes\":5}"));
    assertThat(changed.getStatus()).isEqualTo(200);
    assertThat(as(roles, "flows/1").delete().getStatus()).isEqualTo(204);
  }

  @Test
  void deadlineRoleForbidsRegistrationForOtherEndpoints() {
    String roles = RED + REGISTERING;
    JsonNode others =
        problem(as(roles, "flows").post(Entity.json(FROM_DEFAULT)), 400, "source", "10.0.0.1");
    JsonNode nobodys =
        problem(as(roles, "flows").post(Entity.json(flow("10.9.9.9"))), 400, "source", "10.9.9.9");
    assertThat(others.path("detail")).isEqualTo(nobodys.path("detail"));
    problem(as(roles, "flows/2").put(Entity.json("{\"sizeBytes\":5}")), 404, "id", "2");
    problem(as(roles, "flows/2").delete(), 404, "id", "2");
    assertThat(services.flows.requests).hasSize(2);
    assertThat(services.flows.flows).hasSize(2);
  }

  @Test
  void everyUserCanReadItsAccess() {
    Map<String, String> expected =
        Map.of(
            "admin",
            "{\"role\":\"admin\",\"tenants\":[],\"registersDeadlines\":true}",
            "viewer",
            "{\"role\":\"viewer\",\"tenants\":[],\"registersDeadlines\":false}",
            RED,
            "{\"role\":\"tenant\",\"tenants\":[\"red\"],\"registersDeadlines\":false}",
            BLUE + REGISTERING,
            "{\"role\":\"tenant\",\"tenants\":[\"blue\"],\"registersDeadlines\":true}");
    expected.forEach(
        (roles, access) ->
            assertThat(as(roles, "access").get().readEntity(String.class)).isEqualTo(access));
  }
}
