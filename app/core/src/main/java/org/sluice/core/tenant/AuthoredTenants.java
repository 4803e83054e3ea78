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
final class AuthoredTenants implements TenantAdminService {
  private final TenantStore store;
  private final String author;

  AuthoredTenants(TenantStore store, String author) {
    this.store = store;
    this.author = author;
  }

  @Override
  public TenantAdminService by(String other) {
    return store.by(other);
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
    return store.change(id, change, author);
  }

  @Override
  public boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException {
    return store.put(tenant, expected, author);
  }

  @Override
  public void create(Tenant tenant) throws SluiceException {
    store.create(tenant, author);
  }

  @Override
  public void remove(TenantId id, Expectation<Tenant> expected) throws SluiceException {
    store.remove(id, expected, author);
  }

  @Override
  public TenantSetChange replaceAll(
      List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun)
      throws SluiceException {
    return store.replaceAll(tenants, expected, dryRun, author);
  }
}
