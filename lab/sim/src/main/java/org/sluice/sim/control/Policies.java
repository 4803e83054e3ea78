// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointPolicy;
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
  private final long[] receiveCeilings;

  /** By endpoint. */
  private final TenantId[] tenantOf;

  private final Map<TenantId, Tenant> tenants = new LinkedHashMap<>();

  Policies(Addresses addresses, int endpoints) {
    this.addresses = addresses;
    this.weights = new double[endpoints];
    this.guarantees = new long[endpoints];
    this.ceilings = new long[endpoints];
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

  /** Its own; 0 is its tenant's. */
  void setReceiveCeiling(Endpoint endpoint, long bitsPerSecond) {
    receiveCeilings[endpoint.number()] = bitsPerSecond;
  }

  private long receiveCeiling(int number) {
    Tenant tenant = tenants.get(tenantOf[number]);
    long own = receiveCeilings[number];
    return own > 0 || tenant == null ? own : tenant.receiveCeilingBitsPerSecond();
  }

  /** As the engine is to know it: the weight of a tenant's endpoint is against its siblings. */
  EndpointPolicy of(Endpoint endpoint, boolean preserveEcn) {
    return of(endpoint.number(), weights[endpoint.number()], preserveEcn);
  }

  /**
   * As its host is to know it until the controller publishes its weight at a port: its part of its
   * tenant's weight, as if all siblings were active.
   */
  EndpointPolicy ofHost(Endpoint endpoint, boolean preserveEcn) {
    int number = endpoint.number();
    Tenant tenant = tenants.get(tenantOf[number]);
    if (tenant == null) {
      return of(endpoint, preserveEcn);
    }
    double all = 0;
    for (int sibling = 0; sibling < weights.length; sibling++) {
      all += tenantOf[sibling].equals(tenant.id()) ? weights[sibling] : 0;
    }
    return of(number, tenant.weight() * weights[number] / all, preserveEcn);
  }

  private EndpointPolicy of(int number, double weight, boolean preserveEcn) {
    return EndpointPolicy.of(
        addresses.id(number),
        tenantOf[number],
        weight,
        guarantees[number],
        ceiling(number),
        receiveCeiling(number),
        preserveEcn);
  }

  /** No endpoint may have more than all of its tenant's together: its host holds it to that. */
  private long ceiling(int number) {
    Tenant tenant = tenants.get(tenantOf[number]);
    long ofTenant = tenant == null ? 0 : tenant.ceilingBitsPerSecond();
    long own = ceilings[number];
    return own > 0 && ofTenant > 0 ? Math.min(own, ofTenant) : Math.max(own, ofTenant);
  }
}
