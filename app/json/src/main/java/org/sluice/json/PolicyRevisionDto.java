// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.time.Instant;
import org.sluice.api.policy.PolicyRevision;

/** The fields of a revision of policies in JSON. */
@JsonPropertyOrder({"revision", "time", "author", "rolledBackTo", "set"})
public final class PolicyRevisionDto {
  @JsonProperty final long revision;
  @JsonProperty final Instant time;
  @JsonProperty final String author;
  @JsonProperty final Long rolledBackTo;
  @JsonProperty final PolicySetDto set;

  public PolicyRevisionDto(PolicyRevision from) {
    revision = from.number();
    time = from.time();
    author = from.author();
    rolledBackTo = from.rolledBackTo() == 0 ? null : from.rolledBackTo();
    set = from.set().map(PolicySetDto::new).orElse(null);
  }
}
