// SPDX-License-Identifier: Apache-2.0
package org.sluice.json;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.sluice.api.Tenant;
import org.sluice.api.TenantRates;

/** The fields of a tenant in JSON, and what it was promised beside what it gets. */
@JsonPropertyOrder({"tenant", "promisedBitsPerSecond", "deliveredBitsPerSecond"})
public final class TenantStatusDto {
  @JsonUnwrapped final TenantDto tenant;
  @JsonProperty final long promisedBitsPerSecond;
  @JsonProperty final long deliveredBitsPerSecond;

  public TenantStatusDto(Tenant tenant, TenantRates rates) {
    this.tenant = new TenantDto(tenant);
    promisedBitsPerSecond = rates.promisedBitsPerSecond();
    deliveredBitsPerSecond = rates.deliveredBitsPerSecond();
  }
}
