// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.sluice.api.SluiceException;
import org.sluice.api.TenantId;

/** What the store holds of a tenant that this release cannot read: kept as it is. */
final class UnreadableTenant {
  private static final String OTHER_RELEASE = "Install the release of Sluice that wrote it";
  private static final int LONGEST_QUOTE = 200;

  private final JsonNode json;
  private final String reason;

  UnreadableTenant(JsonNode json, SluiceException reason) {
    this.json = json;
    this.reason =
        reason.field().map(field -> field + " = " + reason.value() + ": ").orElse("")
            + reason.getMessage();
  }

  /** As it is stored. */
  JsonNode json() {
    return json;
  }

  Optional<TenantId> id() {
    try {
      return Optional.of(TenantId.of(json.path("id").asText()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  String name() {
    return id().map(id -> "Tenant " + id).orElse("A tenant without an id");
  }

  /** What is wrong, and what to do about it. */
  String explanation() {
    return reason + " (in " + quote(json.toString()) + "). " + remedy();
  }

  /** Refuses to overwrite it. */
  SluiceException refusal(TenantId id) {
    return SluiceException.conflict(
        "id", id, "What is stored of this tenant cannot be read: " + reason, remedy());
  }

  private String remedy() {
    return id().isPresent()
        ? OTHER_RELEASE + ", or remove the tenant and set it anew"
        : OTHER_RELEASE;
  }

  /** Says that nothing of a text can be read. */
  static SluiceException wholeText(String text, String reason) {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE,
        "",
        "",
        "The tenants as they are stored cannot be read: " + reason + " (in " + quote(text) + ")",
        OTHER_RELEASE);
  }

  private static String quote(String text) {
    return text.length() <= LONGEST_QUOTE ? text : text.substring(0, LONGEST_QUOTE) + " ...";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UnreadableTenant && json.equals(((UnreadableTenant) other).json);
  }

  @Override
  public int hashCode() {
    return json.hashCode();
  }
}
