// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** Reads what tenants were promised, beside what they get. */
public interface TenantRateService {

  /** The rates of a tenant, about a second old; none of either if it is not known. */
  TenantRates rates(TenantId id);
}
