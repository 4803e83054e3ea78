// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;

/** Registrations as texts, for the store. JSON, so that another version can read it. */
final class FlowCodec {
  private static final Logger log = LoggerFactory.getLogger(FlowCodec.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private FlowCodec() {}

  static String write(StoredFlow flow) {
    return node(flow).toString();
  }

  /** What {@link #write} wrote; nothing if it cannot be read, which is logged. */
  static Optional<StoredFlow> read(String text) {
    try {
      return Optional.of(flow(MAPPER.readTree(text)));
    } catch (IOException | IllegalArgumentException e) {
      log.warn("A stored flow cannot be read and does not count: {}: {}", text, e.getMessage());
      return Optional.empty();
    }
  }

  static String write(RegistrationLog registrations) {
    ObjectNode node = MAPPER.createObjectNode();
    node.put("number", registrations.number());
    node.put("nextId", registrations.nextId());
    ArrayNode flows = node.putArray("flows");
    registrations.flows().forEach(flow -> flows.add(node(flow)));
    return node.toString();
  }

  static RegistrationLog readLog(String text) {
    try {
      JsonNode node = MAPPER.readTree(text);
      List<StoredFlow> flows = new ArrayList<>();
      for (JsonNode each : node.path("flows")) {
        flows.add(flow(each));
      }
      return RegistrationLog.of(
          node.path("number").asLong(0), node.path("nextId").asLong(1), flows);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalStateException("the log of registrations cannot be read: " + text, e);
    }
  }

  private static ObjectNode node(StoredFlow flow) {
    FlowKey key = flow.key();
    return MAPPER
        .createObjectNode()
        .put("id", flow.id())
        .put("source", key.source().toString())
        .put("sourcePort", key.sourcePort())
        .put("destination", key.destination().toString())
        .put("destinationPort", key.destinationPort())
        .put("tenant", flow.tenant().name())
        .put("sizeBytes", flow.sizeBytes())
        .put("deadlineMicros", flow.deadlineMicros())
        .put("beginsMicros", flow.beginsMicros())
        .put("promised", flow.promised())
        .put("promiseLost", flow.promiseLost());
  }

  private static StoredFlow flow(JsonNode node) {
    FlowKey key =
        FlowKey.of(
            IpAddress.parse(node.path("source").asText()),
            node.path("sourcePort").asInt(),
            IpAddress.parse(node.path("destination").asText()),
            node.path("destinationPort").asInt());
    StoredFlow flow =
        StoredFlow.of(
            node.path("id").asLong(),
            key,
            TenantId.of(node.path("tenant").asText()),
            node.path("sizeBytes").asLong(),
            node.path("deadlineMicros").asLong(),
            node.path("beginsMicros").asLong(),
            node.path("promised").asBoolean());
    return node.path("promiseLost").asBoolean() ? flow.withoutPromise() : flow;
  }
}
