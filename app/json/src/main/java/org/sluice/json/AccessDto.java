// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;
import org.sluice.api.TenantId;
import org.sluice.api.access.Caller;

/** The fields of what a user may see and do in JSON. */
@JsonPropertyOrder({"role", "tenants", "registersDeadlines"})
public final class AccessDto {
  @JsonProperty final Caller.Role role;
  @JsonProperty final List<TenantId> tenants;
  @JsonProperty final boolean registersDeadlines;

  /**
   * What a user may see and do.
   *
   * @param own tenants whose things are the user's own
   */
  public AccessDto(Caller caller, List<TenantId> own) {
    role = caller.role();
    tenants = own;
    registersDeadlines = caller.registersDeadlines();
  }
}
