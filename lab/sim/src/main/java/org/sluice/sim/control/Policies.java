// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.shim.host.Addresses;

/**
 * What each endpoint is due: weight 1, no guarantee and no ceilings unless they are set; and the
 * tenants whose endpoints share what they are due.
 */
final class Policies {
  private final Addresses addresses;
  private final double[] weights;
  private final long[] guarantees;
  private final long[] ceilings;

  /** Of their tenants', as the engine divided them last; 0 where it has not. */
  private final long[] ceilingParts;

  private final long[] receiveCeilings;

  /** By endpoint. */
  private final TenantId[] tenantOf;

  private final Map<TenantId, Tenant> tenants = new LinkedHashMap<>();

  Policies(Addresses addresses, int endpoints) {
    this.addresses = addresses;
    this.weights = new double[endpoints];
    this.guarantees = new long[endpoints];
    this.ceilings = new long[endpoints];
    this.ceilingParts = new long[endpoints];
    this.receiveCeilings = new long[endpoints];
    this.tenantOf = new TenantId[endpoints];
    Arrays.fill(weights, 1);
    Arrays.fill(tenantOf, TenantId.DEFAULT);
  }

  void setTenant(Tenant tenant, List<Endpoint> members) {
    tenants.put(tenant.id(), tenant);
    members.forEach(endpoint -> tenantOf[endpoint.number()] = tenant.id());
  }

  Collection<Tenant> tenants() {
    return tenants.values();
  }

  Tenant tenant(TenantId id) {
    return tenants.get(id);
  }

  boolean isMember(Endpoint endpoint, TenantId id) {
    return tenantOf[endpoint.number()].equals(id);
  }

  void setWeight(Endpoint endpoint, double weight) {
    weights[endpoint.number()] = weight;
  }

  void setGuarantee(Endpoint endpoint, long bitsPerSecond) {
    guarantees[endpoint.number()] = bitsPerSecond;
  }

  void setCeiling(Endpoint endpoint, long bitsPerSecond) {
    ceilings[endpoint.number()] = bitsPerSecond;
  }

  /** What it may send of its tenant's; 0: the engine has not divided that. */
  void setCeilingPart(Endpoint endpoint, long bitsPerSecond) {
    ceilingParts[endpoint.number()] = bitsPerSecond;
  }

  void forgetCeilingParts() {
    Arrays.fill(ceilingParts, 0);
  }

  /** Its own; 0 is its tenant's. */
  void setReceiveCeiling(Endpoint endpoint, long bitsPerSecond) {
    receiveCeilings[endpoint.number()] = bitsPerSecond;
  }

  private long receiveCeiling(int number) {
    Tenant tenant = tenants.get(tenantOf[number]);
    long own = receiveCeilings[number];
    return own > 0 || tenant == null ? own : tenant.receiveCeilingBitsPerSecond();
  }

  /** As the engine gets it: the weight of a tenant's endpoint is against its siblings. */
  EndpointProfile of(Endpoint endpoint, boolean preserveEcn) {
    int number = endpoint.number();
    return of(number, weights[number], ceiling(number, ofTenant(number)), preserveEcn);
  }

  /**
   * As its host gets it: its part of its tenant's ceiling, and of its tenant's weight until the
   * controller publishes its weight at a port, as if all siblings were active.
   */
  EndpointProfile ofHost(Endpoint endpoint, boolean preserveEcn) {
    int number = endpoint.number();
    Tenant tenant = tenants.get(tenantOf[number]);
    if (tenant == null) {
      return of(endpoint, preserveEcn);
    }
    double all = 0;
    for (int sibling = 0; sibling < weights.length; sibling++) {
      all += tenantOf[sibling].equals(tenant.id()) ? weights[sibling] : 0;
    }
    double part = weights[number] / all;
    long ofCeiling = ceilingParts[number];
    if (ofCeiling == 0) {
      ofCeiling = (long) Math.ceil(tenant.ceilingBitsPerSecond() * part);
    }
    return of(number, tenant.weight() * part, ceiling(number, ofCeiling), preserveEcn);
  }

  private EndpointProfile of(int number, double weight, long ceiling, boolean preserveEcn) {
    return EndpointProfile.of(
        addresses.id(number),
        tenantOf[number],
        weight,
        guarantees[number],
        ceiling,
        receiveCeiling(number),
        preserveEcn);
  }

  private long ofTenant(int number) {
    Tenant tenant = tenants.get(tenantOf[number]);
    return tenant == null ? 0 : tenant.ceilingBitsPerSecond();
  }

  /** The lower of its own and of what it may have of its tenant's; 0 is none. */
  private long ceiling(int number, long ofTenant) {
    long own = ceilings[number];
    return own > 0 && ofTenant > 0 ? Math.min(own, ofTenant) : Math.max(own, ofTenant);
  }
}
