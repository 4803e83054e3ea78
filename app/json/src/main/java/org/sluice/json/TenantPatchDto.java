// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.List;
import org.sluice.api.Tenant;

/** What is to change of a tenant in JSON: its fields, or single members. */
@JsonPropertyOrder({
  "id",
  "weight",
  "guaranteeBitsPerSecond",
  "ceilingBitsPerSecond",
  "receiveCeilingBitsPerSecond",
  "ecn",
  "members",
  "addMembers",
  "removeMembers"
})
final class TenantPatchDto extends TenantDto {
  @JsonProperty
  @JsonSetter(contentNulls = Nulls.FAIL)
  List<MemberDto> addMembers;

  @JsonProperty
  @JsonSetter(contentNulls = Nulls.FAIL)
  List<MemberDto> removeMembers;

  TenantPatchDto(Tenant present) {
    super(present);
  }
}
