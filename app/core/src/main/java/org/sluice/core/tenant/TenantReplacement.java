// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.TenantSetChange;
import org.sluice.engine.law.GuaranteeAdmission;

/** Putting a whole set of tenants in the place of those that there are: all of it, or nothing. */
final class TenantReplacement {
  private final List<Tenant> wanted;
  private final TenantSnapshot table;

  /**
   * A replacement by a set.
   *
   * @param wanted without the default tenant it has its defaults
   */
  TenantReplacement(List<Tenant> wanted) {
    this.wanted = wanted;
    this.table = TenantSnapshot.of(wanted);
  }

  /** The tenants as they are to be. */
  TenantSnapshot table() {
    return table;
  }

  /**
   * What it comes to.
   *
   * @param admission of these tenants
   * @param losses by them
   */
  TenantSetChange change(StoredTenants before, GuaranteeAdmission admission, AddressLosses losses) {
    List<SluiceException> refusals = refusals(before, admission, losses);
    return refusals.isEmpty() ? difference(before.table()) : TenantSetChange.refused(refusals);
  }

  private List<SluiceException> refusals(
      StoredTenants before, GuaranteeAdmission admission, AddressLosses losses) {
    List<SluiceException> refusals = new ArrayList<>();
    Set<TenantId> seen = new HashSet<>();
    for (int i = 0; i < wanted.size(); i++) {
      Tenant tenant = wanted.get(i);
      String place = "tenants[" + i + "]";
      if (!seen.add(tenant.id())) {
        refusals.add(
            SluiceException.invalid(
                place + ".id", tenant.id(), "The set has this tenant twice", "Give it once"));
        continue;
      }
      note(place, () -> before.tenant(tenant.id()), refusals);
      note(place, () -> table.checkMembers(tenant), refusals);
      note(place, () -> admission.check(tenant.id()), refusals);
      note(place, () -> losses.checkNamedBy(tenant), refusals);
    }
    return refusals;
  }

  private interface Check {
    void run() throws SluiceException;
  }

  private static void note(String place, Check check, List<SluiceException> refusals) {
    try {
      check.run();
    } catch (SluiceException e) {
      String field = e.field().map(name -> place + "." + name).orElse(place);
      refusals.add(new SluiceException(e.kind(), field, e.value(), e.getMessage(), e.remedy()));
    }
  }

  private TenantSetChange difference(TenantSnapshot before) {
    List<TenantId> created = new ArrayList<>();
    List<TenantId> changed = new ArrayList<>();
    List<TenantId> unchanged = new ArrayList<>();
    for (Tenant tenant : table.tenants()) {
      Optional<Tenant> present = before.tenant(tenant.id());
      if (present.isEmpty()) {
        created.add(tenant.id());
      } else {
        (present.get().equals(tenant) ? unchanged : changed).add(tenant.id());
      }
    }
    List<TenantId> removed = new ArrayList<>();
    for (Tenant tenant : before.tenants()) {
      if (table.tenant(tenant.id()).isEmpty()) {
        removed.add(tenant.id());
      }
    }
    return TenantSetChange.of(created, changed, removed, unchanged);
  }
}
