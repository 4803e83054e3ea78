// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Collectors;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/** The fields of a tenant in JSON. What is null takes its default. */
@JsonPropertyOrder({
  "id",
  "weight",
  "guaranteeBitsPerSecond",
  "ceilingBitsPerSecond",
  "receiveCeilingBitsPerSecond",
  "ecn",
  "members"
})
public class TenantDto {
  @JsonProperty TenantId id;
  @JsonProperty BigDecimal weight;
  @JsonProperty Long guaranteeBitsPerSecond;
  @JsonProperty Long ceilingBitsPerSecond;
  @JsonProperty Long receiveCeilingBitsPerSecond;
  @JsonProperty EcnTreatment ecn;

  @JsonProperty
  @JsonSetter(contentNulls = Nulls.FAIL)
  List<MemberDto> members;

  /** For one that is still to be read. */
  TenantDto() {}

  public TenantDto(Tenant tenant) {
    id = tenant.id();
    weight = Json.plain(tenant.weight());
    guaranteeBitsPerSecond = tenant.guaranteeBitsPerSecond();
    ceilingBitsPerSecond = tenant.ceilingBitsPerSecond();
    receiveCeilingBitsPerSecond = tenant.receiveCeilingBitsPerSecond();
    ecn = EcnTreatment.of(tenant.preserveEcn());
    members = tenant.members().stream().map(MemberDto::new).collect(Collectors.toList());
  }
}
