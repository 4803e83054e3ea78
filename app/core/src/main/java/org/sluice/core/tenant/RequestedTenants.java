// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.List;
import java.util.Optional;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;

/** The tenants, for one who changes them. */
final class RequestedTenants implements TenantAdminService {
  private final TenantStore store;
  private final Requester requester;

  RequestedTenants(TenantStore store, Requester requester) {
    this.store = store;
    this.requester = requester;
  }

  @Override
  public TenantAdminService by(String other) {
    return new RequestedTenants(store, requester.named(other));
  }

  @Override
  public TenantAdminService allowingRefusedAddresses() {
    return new RequestedTenants(store, requester.allowingRefusedAddresses());
  }

  @Override
  public List<Tenant> tenants() {
    return store.tenants();
  }

  @Override
  public Optional<Tenant> tenant(TenantId id) {
    return store.tenant(id);
  }

  @Override
  public Tenant change(TenantId id, Change change) throws SluiceException {
    return store.change(id, change, requester);
  }

  @Override
  public boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException {
    return store.put(tenant, expected, requester);
  }

  @Override
  public void create(Tenant tenant) throws SluiceException {
    store.create(tenant, requester);
  }

  @Override
  public void remove(TenantId id, Expectation<Tenant> expected) throws SluiceException {
    store.remove(id, expected, requester);
  }

  @Override
  public TenantSetChange replaceAll(
      List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun)
      throws SluiceException {
    return store.replaceAll(tenants, expected, dryRun, requester);
  }
}
