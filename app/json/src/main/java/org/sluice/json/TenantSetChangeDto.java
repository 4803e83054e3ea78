// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;

/** The fields of what replacing all tenants comes to in JSON. */
@JsonPropertyOrder({"applied", "created", "changed", "removed", "unchanged", "refusals"})
public final class TenantSetChangeDto {
  @JsonProperty final boolean applied;
  @JsonProperty final List<TenantId> created;
  @JsonProperty final List<TenantId> changed;
  @JsonProperty final List<TenantId> removed;
  @JsonProperty final List<TenantId> unchanged;
  @JsonProperty final List<RefusalDto> refusals;

  public TenantSetChangeDto(TenantSetChange change, boolean applied, List<RefusalDto> refusals) {
    this.applied = applied;
    created = change.created();
    changed = change.changed();
    removed = change.removed();
    unchanged = change.unchanged();
    this.refusals = refusals;
  }
}
