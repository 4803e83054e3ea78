// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.sluice.api.SluiceException;
import org.sluice.json.RefusalDto;

/** The problem that a set of tenants is refused, with every reason. */
@JsonPropertyOrder({"type", "title", "status", "detail", "field", "value", "remedy", "refusals"})
final class RefusedSet extends Problem {
  @JsonProperty private final List<RefusalDto> refusals;

  private RefusedSet(
      int status, String type, String title, String detail, List<RefusalDto> refusals) {
    super(status, type, title, detail);
    this.refusals = refusals;
  }

  /**
   * A refusal.
   *
   * @param reasons at least one
   */
  static RefusedSet of(List<SluiceException> reasons, List<RefusalDto> refusals) {
    SluiceException first = reasons.get(0);
    String detail =
        first.getMessage()
            + (reasons.size() == 1 ? "" : "; refusals has " + (reasons.size() - 1) + " more");
    RefusedSet refused;
    if (reasons.stream().anyMatch(one -> one.kind() == SluiceException.Kind.INVALID)) {
      refused = new RefusedSet(400, "invalid", "Invalid request", detail, refusals);
    } else if (reasons.stream().allMatch(one -> one.kind() == SluiceException.Kind.UNCONFIRMED)) {
      refused = new RefusedSet(409, "unconfirmed", "Unconfirmed", detail, refusals);
    } else {
      refused = new RefusedSet(409, "conflict", "Conflict", detail, refusals);
    }
    refused.about(first.field().orElse(""), first.value());
    refused.remedy(first.remedy());
    return refused;
  }
}
