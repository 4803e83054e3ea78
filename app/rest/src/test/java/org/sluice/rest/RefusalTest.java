// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import javax.ws.rs.client.Entity;
import javax.ws.rs.core.MediaType;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.EndpointService;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalService;
import org.sluice.api.PortService;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.json.RequestBody;

/** What concerns every resource: whatever is refused is a problem document. */
class RefusalTest extends RestTestBase {

  @Test
  void malformedJsonIsLocated() {
    JsonNode problem =
        problem(
            send("PUT", "tenants/t1", "{\n  \"weight\": 2,,\n}"), 400, "body", "line 2, column 16");
    assertThat(problem.path("detail").asText()).contains("not well-formed JSON");
  }

  @Test
  void rejectsUnknownParameters() {
    problem(get("ports?limit=5"), 400, "limit", "5");
    problem(send("PUT", "tenants/t1?dryrun=true", "{}"), 400, "dryrun", "true");
    assertThat(services.tenants).doesNotContainKey(TenantId.of("t1"));
    JsonNode several = problem(get("flows?state=met&to=b&from=a"), 400, "from", "a");
    assertThat(several.path("detail").asText()).contains("from, to");
    assertThat(several.path("remedy").asText()).contains("kind, state, limit");
    problem(as("sluice-tenant", "ports?limit=5").get(), 403, "method", "GET");
  }

  @Test
  void refusesAFieldGivenTwice() {
    JsonNode problem = json(send("PUT", "tenants/t1", "{\"weight\":1,\"weight\":2}"));
    assertThat(problem.path("status").intValue()).isEqualTo(400);
    assertThat(problem.path("detail").asText()).contains("Duplicate field 'weight'");
  }

  @Test
  void rejectsContentAfterTheObject() {
    assertThat(send("PUT", "tenants/t1", "{} {}").getStatus()).isEqualTo(400);
    problem(send("PUT", "tenants/t1", "{}\n {"), 400, "body", "line 2, column 2");
  }

  @Test
  void rejectsANumberBeyondItsType() {
    String number = "1e-99999999999999";
    problem(send("PUT", "tenants/t1", "{\"weight\":" + number + "}"), 400, "weight", number);
    problem(send("PUT", "tenants/t1", number), 400, "body", number);
  }

  /** Arithmetic with such a number would take seconds. */
  @Test
  void rejectsANumberThatIsTooLong() {
    for (String number : new String[] {"9".repeat(200_000), "0." + "3".repeat(200_000)}) {
      String length = number.length() + " characters";
      problem(send("PUT", "tenants/t1", "{\"weight\":" + number + "}"), 400, "weight", length);
      problem(send("POST", "flows", "{\"sizeBytes\":" + number + "}"), 400, "sizeBytes", length);
    }
  }

  /** One tenant's user would have the controller answer nobody else. */
  @Test
  void refusesATenantsUserWhoSendsTooMuch() {
    String roles = "sluice-tenant sluice-tenant-red";
    for (int i = 0; i < RequestBudget.BURST; i++) {
      assertThat(as(roles, "access").get().getStatus()).isEqualTo(200);
    }
    Response refused = as(roles, "access").get();
    assertThat(refused.getHeaderString("Retry-After")).isEqualTo("1");
    assertThat(json(refused).path("type").asText())
        .isEqualTo("urn:sluice:problem:too-many-requests");
    assertThat(get("access").getStatus()).isEqualTo(200);
    nanos += 1_000_000_000L * RequestBudget.EXPLANATION / RequestBudget.REQUESTS_PER_SECOND;
    assertThat(as(roles, "flows/1/why").get().getStatus()).isEqualTo(404);
    assertThat(as(roles, "access").get().getStatus()).isEqualTo(429);
  }

  @Test
  void refusesAnotherEncodingThanJsonHas() {
    for (String type :
        new String[] {"application/json;charset=utf-16", "application/json;charset=ISO-8859-1"}) {
      Response refused =
          at("tenants/t1").header("Content-Type", type).put(Entity.entity("{}", type));
      problem(refused, 415, "Content-Type", type);
    }
    String utf8 = "application/json;charset=UTF-8";
    assertThat(at("tenants/t1").put(Entity.entity("{}", utf8)).getStatus()).isEqualTo(201);
  }

  @Test
  void unauthenticatedRequestGetsAChallenge() {
    Response[] all = {
      as(null, "tenants/default").get(),
      as(null, "tenants/default").put(Entity.json("{}")),
      as(null, "tenants/default").method("PATCH", Entity.json("{}")),
      as(null, "tenants/default").delete()
    };
    for (Response refused : all) {
      assertThat(refused.getHeaderString("WWW-Authenticate")).startsWith("Basic realm=");
      problem(refused, 401, "", "");
    }
    problem(as(null, "nothing").get(), 401, "", "");
  }

  @Test
  void rejectsInvalidUnicode() {
    Entity<byte[]> body =
        Entity.entity(new byte[] {0, 0, '"', 0, '}', 0}, MediaType.APPLICATION_JSON);
    problem(at("tenants/t1").put(body), 400, "body", "");
  }

  @Test
  void rejectsABodyThatIsNotAnObject() {
    problem(send("PUT", "tenants/t1", "[1]"), 400, "body", "[1]");
    problem(send("PUT", "tenants/t1", " "), 400, "body", "");
    problem(send("PUT", "tenants/t1", "null"), 400, "body", "null");
  }

  @Test
  void refusesABodyThatIsTooLongOrTooDeep() {
    String longBody = "{\"id\":\"" + "x".repeat(RequestBody.MAX_BYTES) + "\"}";
    assertThat(json(send("PUT", "tenants/t1", longBody)).path("detail").asText())
        .contains("too long");
    assertThat(json(send("PUT", "tenants/t1", "[".repeat(100_000))).path("detail").asText())
        .contains("too deeply");
  }

  @Test
  void aLongValueIsShortened() {
    JsonNode problem = json(send("PUT", "tenants/t1", "{\"ecn\":\"" + "x".repeat(5000) + "\"}"));
    assertThat(problem.path("value").asText()).hasSizeLessThan(300).endsWith("...");
  }

  /** It has no form in UTF-8, and must not turn a refusal into a fault. */
  @Test
  void halfASurrogatePairIsShownAsAQuestionMark() {
    problem(send("PUT", "tenants/t1", "{\"ecn\":\"\\ud800\"}"), 400, "ecn", "?");
    String pairs = "x".repeat(199) + "\\ud83d\\ude00";
    JsonNode problem = json(send("PUT", "tenants/t1", "{\"ecn\":\"" + pairs + "\"}"));
    assertThat(problem.path("value").asText()).endsWith("x?...");
  }

  @Test
  void anUnknownPathIsNotFound() {
    problem(get("nothing/here"), 404, "path", "/nothing/here");
  }

  @Test
  void anUnknownMethodIsNotAllowed() {
    Response refused = at("endpoints").delete();
    assertThat(refused.getAllowedMethods()).contains("GET");
    problem(refused, 405, "method", "DELETE");
  }

  @Test
  void onlyJsonIsServed() {
    problem(at("tenants").accept("text/html").get(), 406, "Accept", "text/html");
  }

  @Test
  void onlyJsonIsRead() {
    Response refused = at("tenants/t1").put(Entity.entity("weight=2", "text/plain"));
    problem(refused, 415, "Content-Type", "text/plain");
  }

  @Test
  void onlyAdministratorsChangeAnything() {
    Response refused =
        at("tenants/t1").header("Role", null).header("Role", "viewer").put(Entity.json("{}"));
    problem(refused, 403, "method", "PUT");
    assertThat(services.tenants).hasSize(1);
    assertThat(at("tenants").header("Role", null).header("Role", "viewer").get().getStatus())
        .isEqualTo(200);
  }

  @Test
  void anAbsentServiceIsUnavailable() {
    services.withdraw(TenantAdminService.class);
    services.withdraw(EndpointService.class);
    services.withdraw(PortService.class);
    services.withdraw(HostDirectory.class);
    services.withdraw(JournalService.class);
    for (String path : new String[] {"tenants", "endpoints", "ports", "hosts", "journal"}) {
      problem(get(path), 503, "", "");
    }
    problem(send("PUT", "tenants/t1", "{}"), 503, "", "");
    services.replace(HostDirectory.class, new FakeServices().find(HostDirectory.class).get());
    assertThat(get("hosts").getStatus()).as("and back").isEqualTo(200);
  }

  @Test
  void internalErrorShowsItsReferenceOnly() {
    services.replace(
        JournalService.class,
        query -> {
          throw new IllegalStateException("secret at org.sluice.inside");
        });
    JsonNode problem = problem(get("journal"), 500, "", "");
    assertThat(problem.toString()).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "after=x, after, x",
    "after=-2, after, -2",
    "after=9223372036854775808, after, 9223372036854775808",
    "limit=0, limit, 0",
    "limit=10001, limit, 10001",
    "port=5, port, 5",
    "prot=5, prot, 5",
    "before=-1, before, -1",
    "kind=unit_share, kind, unit_share",
    "'kind=unit-share,', kind, ''",
    "endpoint=h1, endpoint, h1",
    "tenant=a b, tenant, a b",
    "since=yesterday, since, yesterday",
    "until=5, until, 5",
  })
  void refusesAWrongParameterOfTheJournal(String query, String field, String value) {
    problem(get("journal?" + query), 400, field, value);
  }

  @ParameterizedTest
  @CsvSource({
    "endpoints/h1/vm9, h1/vm9",
    "endpoints/h 1/vm0, h 1/vm0",
    "ports/of:01/5, of:01/5",
    "ports/of:01/x, of:01/x",
    "hosts/h9, h9",
  })
  void unknownResourceIsNotFound(String path, String id) {
    problem(get(path), 404, "id", id);
  }
}
