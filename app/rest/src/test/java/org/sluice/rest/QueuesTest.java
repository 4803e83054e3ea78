// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sluice.api.queue.QueueService;

/** Queues, background flows and caps. */
class QueuesTest extends RestTestBase {
  private static final String RED = "sluice-tenant sluice-tenant-red";
  private static final String BLUE = "sluice-tenant sluice-tenant-blue";
  private static final String QUEUES =
      "{\"port\":\"of:0000000000000001/5\",\"lengthsFrom\":\"port-agent\",\"capacityBitsPerSecond\":50000000,"
          + "\"backlogPackets\":14,\"errorPackets\":0,\"bufferPackets\":36,"
          + "\"thresholdPackets\":9,\"queueCapacityPackets\":12,\"ageMillis\":3,"
          + "\"levels\":[{\"level\":0,\"backlogPackets\":10,\"sentBitsPerSecond\":1500000,\"droppedPackets\":2},"
          + "{\"level\":1,\"backlogPackets\":4,\"sentBitsPerSecond\":30000000,\"droppedPackets\":0}],"
          + "\"background\":[{\"downstream\":\"of:0000000000000002/1\",\"backlogPackets\":4,"
          + "\"sentBitsPerSecond\":30000000,\"capBitsPerSecond\":25000000}]}";

  private String text(String path) {
    return get(path).readEntity(String.class);
  }

  @Test
  void showsQueues() {
    assertThat(text("ports/of:0000000000000001/5/queues")).isEqualTo(QUEUES);
    assertThat(text("ports/queues"))
        .isEqualTo("{\"queues\":[" + QUEUES + "],\"levelThresholdsBytes\":[4096,16384]}");
  }

  @Test
  void unknownValuesAreNull() {
    services.queues.makePlain();
    JsonNode queues = json(get("ports/of:0000000000000001/5/queues"));
    assertThat(queues.path("lengthsFrom").asText()).isEqualTo("estimated");
    for (String field : List.of("bufferPackets", "thresholdPackets", "queueCapacityPackets")) {
      assertThat(queues.path(field).isNull()).as(field).isTrue();
    }
    assertThat(queues.path("background").get(0).path("capBitsPerSecond").isNull()).isTrue();
    assertThat(json(get("caps")).path("caps").get(0).path("floorBitsPerSecond").isNull()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"of:0000000000000001/6", "nonsense/x"})
  void portWithoutReportedQueuesIsNotFound(String port) {
    problem(get("ports/" + port + "/queues"), 404, "id", port);
  }

  @Test
  void showsCaps() {
    assertThat(text("caps"))
        .isEqualTo(
            "{\"caps\":[{\"upstream\":\"of:0000000000000001/5\","
                + "\"downstream\":\"of:0000000000000002/1\",\"capBitsPerSecond\":25000000,"
                + "\"enforcer\":\"meter\",\"queuePackets\":10,\"thresholdPackets\":9,"
                + "\"alpha\":0.3333,\"beta\":1,\"floorBitsPerSecond\":5000000,\"flows\":2,"
                + "\"endsInMillis\":80}]}");
  }

  @Test
  void showsBackgroundFlows() {
    assertThat(text("flows?kind=background&limit=1"))
        .isEqualTo(
            "{\"flows\":[{\"source\":\"10.0.0.2\",\"sourcePort\":40000,"
                + "\"destination\":\"10.0.0.5\",\"destinationPort\":5001,"
                + "\"endpoint\":\"h2/vm0\",\"tenant\":\"red\",\"sizeFrom\":\"agent\","
                + "\"sentBytes\":1000000,\"sentBitsPerSecond\":20000000,\"ageMillis\":400,"
                + "\"ports\":[\"of:0000000000000001/5\",\"of:0000000000000002/1\"]}]}");
    assertThat(json(get("flows?kind=background")).path("flows")).hasSize(2);
    assertThat(json(get("flows?kind=deadline")).path("flows")).isEmpty();
  }

  @Test
  void rejectsAnUnknownKindAndAStateOfBackgroundFlows() {
    JsonNode problem = problem(get("flows?kind=short"), 400, "kind", "short");
    assertThat(problem.path("remedy").asText()).isEqualTo("Use deadline or background");
    problem(get("flows?kind=background&state=met"), 400, "state", "met");
    problem(get("flows?kind=background&limit=0"), 400, "limit", "0");
  }

  @Test
  void tenantUserSeesItsOwnFlowsAndNoQueues() {
    assertThat(json(as(RED, "flows?kind=background").get()).path("flows")).hasSize(1);
    assertThat(json(as(BLUE, "flows?kind=background").get()).path("flows")).isEmpty();
    assertThat(json(as("viewer", "flows?kind=background").get()).path("flows")).hasSize(2);
    for (String path : List.of("caps", "ports/queues", "ports/of:0000000000000001/5/queues")) {
      problem(as(RED, path).get(), 403, "method", "GET");
      assertThat(as("viewer", path).get().getStatus()).isEqualTo(200);
    }
  }

  @Test
  void missingServiceIsUnavailable() {
    services.withdraw(QueueService.class);
    assertThat(get("caps").getStatus()).isEqualTo(503);
    assertThat(get("flows?kind=background").getStatus()).isEqualTo(503);
    assertThat(get("flows").getStatus()).isEqualTo(200);
  }
}
