// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;

/** Tenants, of which none may have a guarantee above a bound. */
final class TenantsInMemory implements TenantAdminService {
  static final long MOST_GUARANTEE_BITS_PER_SECOND = 900_000_000;

  private final Map<TenantId, Tenant> all = new ConcurrentSkipListMap<>();

  @Override
  public TenantAdminService by(String author) {
    return this;
  }

  @Override
  public TenantAdminService allowingRefusedAddresses() {
    return this;
  }

  @Override
  public Tenant change(TenantId id, Change change) throws SluiceException {
    Tenant changed = change.apply(tenant(id));
    put(changed, Expectation.none());
    return changed;
  }

  @Override
  public boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException {
    if (tenant.guaranteeBitsPerSecond() > MOST_GUARANTEE_BITS_PER_SECOND) {
      throw SluiceException.conflict(
          "guaranteeBitsPerSecond",
          tenant.guaranteeBitsPerSecond(),
          "It cannot be kept",
          "Use at most 900 Mbit/s");
    }
    return all.put(tenant.id(), tenant) == null;
  }

  @Override
  public void create(Tenant tenant) throws SluiceException {
    put(tenant, Expectation.none());
  }

  @Override
  public void remove(TenantId id, Expectation<Tenant> expected) {
    all.remove(id);
  }

  @Override
  public TenantSetChange replaceAll(
      List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Tenant> tenants() {
    return List.copyOf(all.values());
  }

  @Override
  public Optional<Tenant> tenant(TenantId id) {
    return Optional.ofNullable(all.get(id));
  }
}
