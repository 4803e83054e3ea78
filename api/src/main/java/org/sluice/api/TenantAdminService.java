// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.Optional;

/** Changes tenants. Each call is applied whole or not at all. */
public interface TenantAdminService extends TenantService {

  /**
   * The same tenants; what is changed through it is journaled as this one's doing.
   *
   * @param author a user's name, or what else asks for it
   */
  TenantAdminService by(String author);

  /** What is to become of a tenant. */
  @FunctionalInterface
  interface Change {

    /**
     * The tenant as it is to be, with the same id. May be asked several times; must do nothing
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
   * @throws SluiceException as from {@link #put}, or what the change throws; then nothing changed
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
  boolean put(Tenant tenant) throws SluiceException;

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
  void remove(TenantId id) throws SluiceException;
}
