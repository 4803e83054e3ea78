// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.sluice.api.EndpointId;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.tenant.Membership;
import org.sluice.core.tenant.TenantDirectory;

/** The profile of every endpoint, and every tenant that has one. Immutable. */
public final class ProfileTable {
  private final boolean isShared;
  private final Map<EndpointId, Membership> memberships = new TreeMap<>();
  private final Map<TenantId, Tenant> tenants = new HashMap<>();

  /** By tenant: the weights of all its endpoints together. */
  private final Map<TenantId, Double> totalWeights = new HashMap<>();

  /**
   * The profiles of endpoints as their tenants have them.
   *
   * @param isShared whether endpoints share what their tenant is due; else each has it by itself
   */
  public ProfileTable(
      List<ReportedEndpoint> reported, TenantDirectory directory, boolean isShared) {
    this.isShared = isShared;
    for (ReportedEndpoint endpoint : reported) {
      Membership membership = directory.membershipOf(endpoint);
      memberships.put(endpoint.id(), membership);
      tenants.put(membership.tenant().id(), membership.tenant());
    }
    // In the order of endpoints: the sum is the same on every node, whoever reported first.
    memberships.values().forEach(m -> totalWeights.merge(m.tenant().id(), m.weight(), Double::sum));
  }

  /** Tenants with endpoints. */
  public Collection<Tenant> tenants() {
    return tenants.values();
  }

  /**
   * The profile of an endpoint as the engine gets it: where its tenant shares, its weight is
   * against its siblings and it has no guarantee of its own.
   */
  public EndpointProfile profile(EndpointId endpoint) {
    Membership membership = memberships.get(endpoint);
    Tenant tenant = membership.tenant();
    return isShared
        ? profile(endpoint, tenant, membership.weight(), 0, tenant.ceilingBitsPerSecond())
        : own(endpoint, tenant);
  }

  /** The profile of one of the endpoints, as for {@link HostProfiles#ofHost}. */
  public EndpointProfile hostProfile(EndpointId endpoint) {
    Membership membership = memberships.get(endpoint);
    return hostProfile(isShared, endpoint, membership, totalWeights.get(membership.tenant().id()));
  }

  static EndpointProfile hostProfile(
      boolean isShared, EndpointId endpoint, Membership membership, double totalWeight) {
    return isShared ? part(endpoint, membership, totalWeight) : own(endpoint, membership.tenant());
  }

  private static EndpointProfile own(EndpointId endpoint, Tenant tenant) {
    return profile(
        endpoint,
        tenant,
        tenant.weight(),
        tenant.guaranteeBitsPerSecond(),
        tenant.ceilingBitsPerSecond());
  }

  private static EndpointProfile part(
      EndpointId endpoint, Membership membership, double totalWeight) {
    Tenant tenant = membership.tenant();
    double part = membership.weight() / totalWeight;
    return profile(
        endpoint,
        tenant,
        tenant.weight() * part,
        (long) (tenant.guaranteeBitsPerSecond() * part),
        (long) Math.ceil(tenant.ceilingBitsPerSecond() * part));
  }

  private static EndpointProfile profile(
      EndpointId endpoint,
      Tenant tenant,
      double weight,
      long guaranteeBitsPerSecond,
      long ceilingBitsPerSecond) {
    return EndpointProfile.of(
        endpoint,
        tenant.id(),
        weight,
        guaranteeBitsPerSecond,
        ceilingBitsPerSecond,
        tenant.receiveCeilingBitsPerSecond(),
        tenant.preserveEcn());
  }
}
