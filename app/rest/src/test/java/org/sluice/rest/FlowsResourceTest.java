// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import javax.ws.rs.client.Entity;
import javax.ws.rs.core.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.Admission;
import org.sluice.api.deadline.DeadlineRequest;
import org.sluice.api.deadline.FlowKey;

class FlowsResourceTest extends RestTestBase {
  private static final String ENDS =
      "\"source\":\"10.0.0.1\",\"sourcePort\":0,\"destination\":\"10.0.0.5\","
          + "\"destinationPort\":5001,";
  private static final String REQUEST = "{" + ENDS + "\"sizeBytes\":400000,\"dueInMillis\":300}";
  private static final String FLOW =
      "{\"id\":1,"
          + ENDS
          + "\"tenant\":\"red\",\"sizeBytes\":400000,\"remainingBytes\":400000,"
          + "\"deadline\":\"2026-01-01T00:00:00.300Z\",\"dueInMillis\":300,\"promised\":true,\"promiseLost\":false,"
          + "\"state\":\"waiting\"}";

  @Test
  void explainsHowAFlowFares() throws Exception {
    services.flows.register(
        DeadlineRequest.of(
            FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.5"), 5001),
            400_000,
            300_000_000,
            false));
    JsonNode why = json(get("flows/1/why"));
    assertThat(why.path("flow")).isEqualTo(json(get("flows/1")));
    assertThat(why.path("cause").asText()).isEqualTo("late");
    assertThat(why.path("earliestMillis").asInt()).isEqualTo(450);
    assertThat(why.path("ports"))
        .hasToString(
            "[{\"kind\":\"port\",\"port\":\"of:0000000000000001/5\",\"portName\":\"leaf1:eth5\","
                + "\"capacityBitsPerSecond\":50000000,\"promisableBitsPerSecond\":42500000,\"flowsBefore\":3,"
                + "\"bytesBefore\":1200000,\"totalWindowBytes\":75000}]");
    assertThat(why.path("journal")).hasSize(1);
    assertThat(get("flows/77/why").getStatus()).isEqualTo(404);
    assertThat(get("flows/x/why").getStatus()).isEqualTo(404);
  }

  @Test
  void registersReadsAndListsAFlow() {
    Response created = send("POST", "flows", REQUEST);
    assertThat(created.getStatus()).isEqualTo(201);
    assertThat(created.getLocation().getPath()).endsWith("/flows/1");
    assertThat(created.readEntity(String.class)).isEqualTo(FLOW);
    assertThat(services.flows.requests)
        .containsExactly(
            DeadlineRequest.of(
                FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.5"), 5001),
                400_000,
                300_000_000,
                false));
    assertThat(get("flows/1").readEntity(String.class)).isEqualTo(FLOW);
    assertThat(get("flows").readEntity(String.class)).isEqualTo("{\"flows\":[" + FLOW + "]}");
    assertThat(get("flows?state=met").readEntity(String.class)).isEqualTo("{\"flows\":[]}");
    assertThat(get("flows?state=waiting").readEntity(String.class)).contains(FLOW);
  }

  @Test
  void flowMayBeginLater() {
    send("POST", "flows", REQUEST.replace("300}", "300,\"beginsInMillis\":150.5}"));
    assertThat(services.flows.requests)
        .extracting(DeadlineRequest::beginsInNanos)
        .containsExactly(150_500_000L);
    Response refused = send("POST", "flows", REQUEST.replace("300}", "300,\"beginsInMillis\":-1}"));
    problem(refused, 400, "beginsInMillis", "-1");
  }

  @Test
  void limitListsTheNewestFlows() {
    for (int i = 1; i <= 3; i++) {
      send("POST", "flows", REQUEST);
    }
    JsonNode flows = json(get("flows?limit=2")).path("flows");
    assertThat(flows.findValuesAsText("id")).containsExactly("3", "2");
    assertThat(json(get("flows?limit=9")).path("flows")).hasSize(3);
    problem(get("flows?limit=0"), 400, "limit", "0");
    problem(get("flows?limit=few"), 400, "limit", "few");
  }

  @Test
  void acceptsATimeOfDay() {
    String due = Instant.now().plusSeconds(60).toString();
    send("POST", "flows", "{" + ENDS + "\"sizeBytes\":1,\"deadline\":\"" + due + "\"}");
    assertThat(services.flows.requests.get(0).dueInNanos())
        .isBetween(50_000_000_000L, 60_000_000_000L);
  }

  @Test
  void rejectionHasTheEarliestFeasibleDeadline() {
    services.flows.admission = Admission.cannotBeMet(512_000_100);
    JsonNode problem = problem(send("POST", "flows", REQUEST), 409, "dueInMillis", "300");
    assertThat(problem.path("type").asText()).isEqualTo("urn:sluice:problem:cannot-be-met");
    assertThat(problem.path("earliestMillis").decimalValue()).isEqualByComparingTo("512.001");
    services.flows.admission = Admission.never();
    problem = problem(send("POST", "flows", REQUEST), 409, "dueInMillis", "300");
    assertThat(problem.get("earliestMillis").isNull()).isTrue();
    Response forced = send("POST", "flows", REQUEST.replace("}", ",\"force\":true}"));
    assertThat(forced.getStatus()).isEqualTo(201);
    assertThat(json(forced).path("promised").asBoolean()).isFalse();
  }

  @Test
  void changesAndRemoves() {
    send("POST", "flows", REQUEST);
    Response changed = send("PUT", "flows/1", "{\"sizeBytes\":5,\"dueInMillis\":0.25}");
    assertThat(changed.getStatus()).isEqualTo(200);
    assertThat(changed.readEntity(String.class))
        .isEqualTo(
            FLOW.replace("\"sizeBytes\":400000", "\"sizeBytes\":5")
                .replace("\"dueInMillis\":300", "\"dueInMillis\":0.25"));
    services.flows.admission = Admission.cannotBeMet(1);
    problem(send("PUT", "flows/1", "{\"sizeBytes\":6}"), 409, "dueInMillis", "");
    assertThat(at("flows/1").delete().getStatus()).isEqualTo(204);
    problem(at("flows/1").delete(), 404, "id", "1");
    problem(get("flows/x"), 404, "id", "x");
    problem(send("PUT", "flows/2", "{\"sizeBytes\":6}"), 404, "id", "2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|source|",
        "{\"source\":\"10.0.0.1\"}|destination|",
        "{\"source\":\"10.0.0\",\"destination\":\"10.0.0.5\"}|source|10.0.0",
        "{\"source\":\"10.0.0.5\",\"destination\":\"10.0.0.5\"}|destination|10.0.0.5",
        "{\"source\":\"10.0.0.5\",\"destination\":\"::1\"}|destination|::1",
        "{ENDS,\"dueInMillis\":300}|sizeBytes|",
        "{ENDS,\"sizeBytes\":1.5,\"dueInMillis\":300}|sizeBytes|1.5",
        "{ENDS,\"sizeBytes\":-1,\"dueInMillis\":300}|sizeBytes|-1",
        "{ENDS,\"sizeBytes\":0,\"dueInMillis\":300}|sizeBytes|0",
        "{ENDS,\"sizeBytes\":1}|dueInMillis|",
        "{ENDS,\"sizeBytes\":1,\"dueInMillis\":-1}|dueInMillis|-1",
        "{ENDS,\"sizeBytes\":1,\"dueInMillis\":\"1\"}|dueInMillis|\"1\"",
        "{ENDS,\"sizeBytes\":1,\"deadline\":\"soon\"}|deadline|soon",
        "{ENDS,\"sizeBytes\":1,\"dueInMillis\":1,\"force\":1}|force|1",
        "{ENDS,\"sourcePort\":65536}|sourcePort|65536",
        "{ENDS,\"speed\":1}|speed|1"
      })
  void rejectsInvalidFlows(String body, String field, String value) {
    String ends = "\"source\":\"10.0.0.1\",\"destination\":\"10.0.0.5\"";
    Response response = send("POST", "flows", body.replace("ENDS", ends));
    if (field.equals("destination") && body.contains("::1")) {
      value = IpAddress.parse("::1").toString();
    }
    problem(response, 400, field, value == null ? "" : value);
  }

  @Test
  void rejectsADeadlineGivenTwice() {
    String twice = REQUEST.replace("}", ",\"deadline\":\"2026-01-01T00:00:00Z\"}");
    problem(send("POST", "flows", twice), 400, "deadline", "2026-01-01T00:00:00Z");
    problem(send("PUT", "flows/1", "{}"), 400, "sizeBytes", "");
    problem(get("flows?state=lost"), 400, "state", "lost");
  }

  @Test
  void summarizesDeadlines() {
    assertThat(get("deadlines").readEntity(String.class))
        .isEqualTo(
            "{\"tenants\":[{\"tenant\":\"red\",\"waiting\":0,\"sending\":0,\"met\":3,\"missed\":0,"
                + "\"never-sent\":1,\"closed-early\":0,\"removed\":0}],"
                + "\"congestedPorts\":[{\"port\":\"of:0000000000000001/5\","
                + "\"totalWindowBytes\":14600}],"
                + "\"seenBySwitches\":{\"beginnings\":5,\"ends\":4},"
                + "\"losses\":{\"reported\":9,\"duplicates\":2,\"resends\":8,\"packetOuts\":3}}");
  }

  @Test
  void onlyAdministratorsRegister() {
    Response response =
        at("flows").header("Role", null).header("Role", "guest").post(Entity.json(REQUEST));
    assertThat(response.getStatus()).isEqualTo(403);
  }
}
