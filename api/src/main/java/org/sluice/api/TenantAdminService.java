// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Changes tenants. Each call is applied whole or not at all. */
public interface TenantAdminService extends TenantService {

  /**
   * The same tenants; what is changed through it is journaled as this one's doing.
   *
   * @param author a user's name, or what else requests it
   */
  TenantAdminService by(String author);

  /**
   * The same tenants; a change that has endpoints lose addresses is made. Otherwise it is refused
   * as UNCONFIRMED: an endpoint that a member names by interface or Ethernet address loses what it
   * holds in another tenant's prefix.
   */
  TenantAdminService allowingRefusedAddresses();

  /** What is to become of a tenant. */
  @FunctionalInterface
  interface Change {

    /**
     * The tenant as it is to be, with the same id. May be called several times; must do nothing
     * else.
     *
     * @param present the tenant as it is, if there is one
     * @throws SluiceException if there is to be no change
     */
    Tenant apply(Optional<Tenant> present) throws SluiceException;
  }

  /**
   * Creates or changes a tenant by what it is at that very moment: if somebody else changes it
   * meanwhile, the change is applied again to what came of that, so that neither is lost.
   *
   * @return the tenant as it is now
   * @throws SluiceException as from {@link #put(Tenant)}, or what the change throws; then nothing
   *     changed
   */
  Tenant change(TenantId id, Change change) throws SluiceException;

  /**
   * Creates a tenant, or replaces the one with its id.
   *
   * @return whether it is new
   * @throws SluiceException CONFLICT if its guarantee cannot be kept (more than 90 % of a NIC or
   *     edge port behind which it has endpoints, with those already promised there; once for the
   *     tenant, or with {@code share = endpoint} once for each endpoint) or a member is claimed by
   *     another tenant just as specifically; UNAVAILABLE if the store cannot be written
   */
  default boolean put(Tenant tenant) throws SluiceException {
    return put(tenant, Expectation.none());
  }

  /**
   * The same, of what is expected.
   *
   * @throws SluiceException STALE if it is not; else as from {@link #put(Tenant)}
   */
  boolean put(Tenant tenant, Expectation<Tenant> expected) throws SluiceException;

  /**
   * Creates a tenant.
   *
   * @throws SluiceException CONFLICT also if one with its id exists
   */
  void create(Tenant tenant) throws SluiceException;

  /**
   * Removes a tenant; its endpoints fall to the next matching membership or the default tenant.
   *
   * @throws SluiceException NOT_FOUND if there is none; CONFLICT for the default tenant
   */
  default void remove(TenantId id) throws SluiceException {
    remove(id, Expectation.none());
  }

  /**
   * The same, of what is expected.
   *
   * @throws SluiceException STALE if it is not; else as from {@link #remove(TenantId)}
   */
  void remove(TenantId id, Expectation<Tenant> expected) throws SluiceException;

  /**
   * Puts a whole set in the place of all tenants, or changes nothing. The default tenant, if it is
   * not in the set, takes its defaults. What this release cannot read of the store stays.
   *
   * @param expected of all tenants as they are, by id
   * @param dryRun whether only to find out what it would come to
   * @return what it came to, or would; with refusals nothing changed
   * @throws SluiceException STALE if the tenants are not what is expected; CONFLICT if the store
   *     cannot hold so many; UNAVAILABLE if it cannot be written
   */
  TenantSetChange replaceAll(
      List<Tenant> tenants, Expectation<List<Tenant>> expected, boolean dryRun)
      throws SluiceException;
}
