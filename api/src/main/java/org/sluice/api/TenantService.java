// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Reads tenants. */
public interface TenantService {

  /** All tenants, the default one among them, by id. */
  List<Tenant> tenants();

  Optional<Tenant> tenant(TenantId id);
}
