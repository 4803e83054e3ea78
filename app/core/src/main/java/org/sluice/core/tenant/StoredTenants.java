// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;

/**
 * All that the store holds: tenants, and what this release cannot read, which stays as it is until
 * somebody requests its removal. Immutable.
 */
final class StoredTenants {
  static final StoredTenants NONE = new StoredTenants(TenantSnapshot.of(List.of()), List.of());

  private final TenantSnapshot table;
  private final List<UnreadableTenant> unreadable;

  StoredTenants(TenantSnapshot table, List<UnreadableTenant> unreadable) {
    this.table = table;
    this.unreadable = List.copyOf(unreadable);
  }

  TenantSnapshot table() {
    return table;
  }

  List<UnreadableTenant> unreadable() {
    return unreadable;
  }

  boolean contains(TenantId id) {
    return table.tenant(id).isPresent() || unreadable(id).isPresent();
  }

  Optional<UnreadableTenant> unreadable(TenantId id) {
    return unreadable.stream().filter(one -> one.id().equals(Optional.of(id))).findFirst();
  }

  /**
   * The tenant with an id, if there is one.
   *
   * @throws SluiceException CONFLICT if it cannot be read
   */
  Optional<Tenant> tenant(TenantId id) throws SluiceException {
    Optional<UnreadableTenant> kept = unreadable(id);
    if (kept.isPresent()) {
      throw kept.get().refusal(id);
    }
    return table.tenant(id);
  }

  /** The same with other tenants that can be read. */
  StoredTenants with(TenantSnapshot changed) {
    return new StoredTenants(changed, unreadable);
  }

  /** The same without a tenant, whether it can be read or not. */
  StoredTenants without(TenantId id) {
    List<UnreadableTenant> left = new ArrayList<>(unreadable);
    left.removeIf(one -> one.id().equals(Optional.of(id)));
    return new StoredTenants(table.without(id), left);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoredTenants
        && table.equals(((StoredTenants) other).table)
        && unreadable.equals(((StoredTenants) other).unreadable);
  }

  @Override
  public int hashCode() {
    return 31 * table.hashCode() + unreadable.hashCode();
  }
}
