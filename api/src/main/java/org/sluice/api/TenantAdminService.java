// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

/** Changes tenants. Each call is applied whole or not at all. */
public interface TenantAdminService extends TenantService {

  /**
   * Creates a tenant, or replaces the one with its id.
   *
   * @return whether it is new
   * @throws SluiceException CONFLICT if its guarantees cannot be kept (more than 90 % of a NIC or
   *     edge port, with those already promised) or a member is claimed by another tenant just as
   *     specifically; UNAVAILABLE if the store cannot be written
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
