// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.util.List;

/** What putting a whole set of tenants in the place of all others comes to. */
@AutoValue
public abstract class TenantSetChange {

  /** One that was, or could be, made. */
  public static TenantSetChange of(
      List<TenantId> created,
      List<TenantId> changed,
      List<TenantId> removed,
      List<TenantId> unchanged) {
    return new AutoValue_TenantSetChange(created, changed, removed, unchanged, List.of());
  }

  /**
   * One that cannot be made.
   *
   * @param refusals at least one
   */
  public static TenantSetChange refused(List<SluiceException> refusals) {
    return new AutoValue_TenantSetChange(
        List.of(), List.of(), List.of(), List.of(), List.copyOf(refusals));
  }

  /** Tenants that were not there before. */
  public abstract List<TenantId> created();

  /** Tenants that are others than before. */
  public abstract List<TenantId> changed();

  /** Tenants that are not in the set. */
  public abstract List<TenantId> removed();

  /** Tenants that are as before. */
  public abstract List<TenantId> unchanged();

  /**
   * Why it cannot be made: each names its field in the set, {@code tenants[2].members[0]}; empty:
   * it can.
   */
  public abstract List<SluiceException> refusals();
}
