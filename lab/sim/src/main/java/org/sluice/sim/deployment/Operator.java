// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.Expectation;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantAdminService;
import org.sluice.api.TenantId;
import org.sluice.api.policy.PolicyService;
import org.sluice.api.policy.PolicySet;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.shim.host.Addresses;

/**
 * Who sets what tenants are due, and the policies. An endpoint that no tenant of the scenario has
 * is a tenant by itself, of weight 1 and without guarantee and ceilings unless they are set.
 */
final class Operator {
  private static final String ALONE = "endpoint-";

  private final Addresses addresses;
  private final boolean preserveEcn;

  // By endpoint:
  private final double[] weights;
  private final long[] guarantees;
  private final long[] ceilings;
  private final long[] receiveCeilings;

  /** Null: it is a tenant by itself. */
  private final TenantId[] tenantOf;

  private final Map<TenantId, Tenant> tenants = new LinkedHashMap<>();

  /** Null: none. */
  private PolicySet policies;

  Operator(Addresses addresses, int endpoints, boolean preserveEcn) {
    this.addresses = addresses;
    this.preserveEcn = preserveEcn;
    this.weights = new double[endpoints];
    this.guarantees = new long[endpoints];
    this.ceilings = new long[endpoints];
    this.receiveCeilings = new long[endpoints];
    this.tenantOf = new TenantId[endpoints];
    Arrays.fill(weights, 1);
  }

  /** A tenant is due something else, and has these endpoints beside those that it has. */
  void setTenant(Tenant tenant, List<Endpoint> members) {
    tenants.put(tenant.id(), tenant);
    members.forEach(endpoint -> tenantOf[endpoint.number()] = tenant.id());
  }

  /** Of a tenant's endpoint: against its siblings. */
  void setWeight(Endpoint endpoint, double weight) {
    weights[endpoint.number()] = weight;
  }

  void setGuarantee(Endpoint endpoint, long bitsPerSecond) {
    guarantees[endpoint.number()] = bitsPerSecond;
  }

  void setCeiling(Endpoint endpoint, long bitsPerSecond) {
    ceilings[endpoint.number()] = bitsPerSecond;
  }

  void setReceiveCeiling(Endpoint endpoint, long bitsPerSecond) {
    receiveCeilings[endpoint.number()] = bitsPerSecond;
  }

  /**
   * Has the controller take all of it over.
   *
   * @throws IllegalArgumentException if it refuses something
   */
  void write(TenantAdminService service) {
    try {
      List<SluiceException> refusals =
          service.replaceAll(all(), Expectation.none(), false).refusals();
      if (!refusals.isEmpty()) {
        throw refusals.get(0);
      }
    } catch (SluiceException e) {
      throw new IllegalArgumentException(
          "the controller refuses a tenant: " + e.getMessage() + ". " + e.remedy(), e);
    }
  }

  /** Policies are to be in force from the start. */
  void setPolicies(PolicySet set) {
    policies = set;
  }

  /**
   * Puts the policies in force, unless they were before: the cluster's store keeps them.
   *
   * @throws IllegalArgumentException if the controller refuses them
   */
  void apply(PolicyService service) {
    if (policies == null || service.current().isPresent()) {
      return;
    }
    try {
      service.apply(policies, "operator");
    } catch (SluiceException e) {
      throw new IllegalArgumentException(
          "the controller refuses the policies: " + e.getMessage() + ". " + e.remedy(), e);
    }
  }

  private List<Tenant> all() throws SluiceException {
    Map<TenantId, List<Member>> members = new LinkedHashMap<>();
    List<Tenant> all = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      Member member = Member.ofMac(addresses.mac(i));
      if (tenantOf[i] == null) {
        all.add(alone(i, member));
      } else {
        members.computeIfAbsent(tenantOf[i], none -> new ArrayList<>()).add(sibling(i, member));
      }
    }
    for (Tenant tenant : tenants.values()) {
      all.add(
          tenant.toBuilder()
              .preserveEcn(preserveEcn)
              .members(members.getOrDefault(tenant.id(), List.of()))
              .build());
    }
    return all;
  }

  private Tenant alone(int endpoint, Member member) throws SluiceException {
    return Tenant.builder(TenantId.of(ALONE + endpoint))
        .weight(weights[endpoint])
        .guaranteeBitsPerSecond(guarantees[endpoint])
        .ceilingBitsPerSecond(ceilings[endpoint])
        .receiveCeilingBitsPerSecond(receiveCeilings[endpoint])
        .preserveEcn(preserveEcn)
        .members(List.of(member))
        .build();
  }

  private Member sibling(int endpoint, Member member) throws SluiceException {
    if (guarantees[endpoint] > 0 || ceilings[endpoint] > 0 || receiveCeilings[endpoint] > 0) {
      throw SluiceException.invalid(
          "policy",
          addresses.id(endpoint),
          "An endpoint of a tenant has a weight alone of its own",
          "Give guarantees and ceilings to the tenant");
    }
    return member.withWeight(weights[endpoint]);
  }
}
