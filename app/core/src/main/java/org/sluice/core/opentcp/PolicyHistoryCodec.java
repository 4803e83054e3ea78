// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.SluiceException;
import org.sluice.api.policy.PolicyRevision;
import org.sluice.json.PolicyJson;

/** The history as one text, for the store. JSON, so that another version can read it. */
final class PolicyHistoryCodec {
  private static final String NEXT = "next";
  private static final String REVISIONS = "revisions";
  private static final String NUMBER = "number";
  private static final String TIME = "time";
  private static final String AUTHOR = "author";
  private static final String ROLLED_BACK_TO = "rolledBackTo";
  private static final String SET = "set";

  /** Exact, so that what cannot be read is written back as it was. */
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .setNodeFactory(JsonNodeFactory.withExactBigDecimals(true))
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

  private PolicyHistoryCodec() {}

  static String write(PolicyHistory history) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put(NEXT, history.nextNumber());
    ArrayNode revisions = json.putArray(REVISIONS);
    for (PolicyHistory.Entry entry : history.entries()) {
      revisions.add(entry.revision().map(PolicyHistoryCodec::write).orElse(entry.unreadable()));
    }
    return json.toString();
  }

  private static JsonNode write(PolicyRevision revision) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put(NUMBER, revision.number());
    json.put(TIME, revision.time().toString());
    json.put(AUTHOR, revision.author());
    json.put(ROLLED_BACK_TO, revision.rolledBackTo());
    json.set(SET, revision.set().<JsonNode>map(PolicyJson::write).orElse(MAPPER.nullNode()));
    return json;
  }

  /**
   * What {@link #write} wrote, in this release or another.
   *
   * @throws SluiceException UNAVAILABLE if it is no history at all
   */
  static PolicyHistory read(String text) throws SluiceException {
    JsonNode json;
    try {
      json = MAPPER.readTree(text);
    } catch (IOException e) {
      throw unreadable(text);
    }
    if (json == null
        || !json.path(NEXT).canConvertToLong()
        || json.path(NEXT).longValue() < 1
        || !json.path(REVISIONS).isArray()) {
      throw unreadable(text);
    }
    List<PolicyHistory.Entry> entries = new ArrayList<>();
    for (JsonNode revision : json.path(REVISIONS)) {
      entries.add(
          readRevision(revision)
              .map(PolicyHistory.Entry::of)
              .orElseGet(() -> PolicyHistory.Entry.ofUnreadable(revision)));
    }
    return new PolicyHistory(json.path(NEXT).longValue(), entries);
  }

  private static SluiceException unreadable(String text) {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE,
        "",
        text,
        "The stored policies cannot be read",
        "Use the release that wrote them");
  }

  private static Optional<PolicyRevision> readRevision(JsonNode json) {
    try {
      JsonNode set = json.path(SET);
      if (!json.path(NUMBER).canConvertToLong()
          || !json.path(AUTHOR).isTextual()
          || !json.path(ROLLED_BACK_TO).canConvertToLong()
          || set.isMissingNode()) {
        return Optional.empty();
      }
      return Optional.of(
          PolicyRevision.builder(json.path(NUMBER).longValue())
              .time(Instant.parse(json.path(TIME).asText()))
              .author(json.path(AUTHOR).textValue())
              .rolledBackTo(json.path(ROLLED_BACK_TO).longValue())
              .set(set.isNull() ? Optional.empty() : Optional.of(PolicyJson.read(set, "")))
              .build());
    } catch (SluiceException | DateTimeException e) {
      return Optional.empty();
    }
  }
}
