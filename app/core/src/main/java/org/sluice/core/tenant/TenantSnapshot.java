// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointMetadata;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;

/** All tenants at one moment, the default one among them, and who belongs to whom. Immutable. */
final class TenantSnapshot {
  private static final Tenant DEFAULT = defaultTenant();

  private final TreeMap<TenantId, Tenant> tenants = new TreeMap<>();
  private final Map<EndpointId, Membership> byEndpoint = new HashMap<>();
  private final Map<MacAddress, Membership> byMac = new HashMap<>();

  /** By the first of the words of what is asked for; the most specific first. */
  private final Map<String, List<MetadataMember>> byMetadata = new HashMap<>();

  /** By length, the longest first. */
  private final NavigableMap<Integer, Map<IpPrefix, PrefixMember>> byPrefix =
      new TreeMap<>(Comparator.reverseOrder());

  private int prefixes;

  /** Who names a member, by id; made when it is first asked for. */
  private Map<Member, List<TenantId>> namedBy;

  private static final class MetadataMember {
    /** The more specific first; of equals in the order of tenants, the same on every node. */
    static final Comparator<MetadataMember> ORDER =
        Comparator.comparingInt((MetadataMember m) -> -m.member.specificity())
            .thenComparing(m -> m.membership.tenant().id());

    final Member member;
    final Membership membership;

    MetadataMember(Member member, Membership membership) {
      this.member = member;
      this.membership = membership;
    }

    EndpointMetadata asked() {
      return member.metadata().orElseThrow();
    }
  }

  private static final class PrefixMember {
    /** In the order of tenants and their members: the same on every node. */
    final int number;

    final int length;
    final Membership membership;

    PrefixMember(int number, int length, Membership membership) {
      this.number = number;
      this.length = length;
      this.membership = membership;
    }

    boolean isBefore(PrefixMember other) {
      return length == other.length ? number < other.number : length > other.length;
    }
  }

  private TenantSnapshot(Collection<Tenant> all) {
    tenants.put(TenantId.DEFAULT, DEFAULT);
    all.forEach(tenant -> tenants.put(tenant.id(), tenant));
    for (Tenant tenant : tenants.values()) {
      for (Member member : tenant.members()) {
        Membership membership = Membership.of(tenant, member);
        member.endpoint().ifPresent(id -> byEndpoint.putIfAbsent(id, membership));
        member.mac().ifPresent(mac -> byMac.putIfAbsent(mac, membership));
        member.metadata().ifPresent(asked -> add(asked, new MetadataMember(member, membership)));
        member.ipPrefix().ifPresent(prefix -> add(prefix, membership));
      }
    }
    byMetadata.values().forEach(members -> members.sort(MetadataMember.ORDER));
  }

  private void add(EndpointMetadata asked, MetadataMember member) {
    byMetadata.computeIfAbsent(asked.words().get(0), word -> new ArrayList<>()).add(member);
  }

  private void add(IpPrefix prefix, Membership membership) {
    Map<IpPrefix, PrefixMember> ofLength =
        byPrefix.computeIfAbsent(prefix.length(), length -> new HashMap<>());
    ofLength.putIfAbsent(prefix, new PrefixMember(prefixes++, prefix.length(), membership));
  }

  static TenantSnapshot of(Collection<Tenant> tenants) {
    return new TenantSnapshot(tenants);
  }

  /** All tenants, by id. */
  List<Tenant> tenants() {
    return new ArrayList<>(tenants.values());
  }

  Optional<Tenant> tenant(TenantId id) {
    return Optional.ofNullable(tenants.get(id));
  }

  /** The same with a tenant set. */
  TenantSnapshot with(Tenant tenant) {
    Map<TenantId, Tenant> changed = new TreeMap<>(tenants);
    changed.put(tenant.id(), tenant);
    return new TenantSnapshot(changed.values());
  }

  /** The same without a tenant. */
  TenantSnapshot without(TenantId id) {
    Map<TenantId, Tenant> changed = new TreeMap<>(tenants);
    changed.remove(id);
    return new TenantSnapshot(changed.values());
  }

  /**
   * Whose endpoint it is: interface before MAC before metadata before the longer prefix, else the
   * default's.
   *
   * @param acceptsLearned whether addresses count that its host only saw it use
   */
  Membership membershipOf(ReportedEndpoint endpoint, boolean acceptsLearned) {
    return named(endpoint).orElseGet(() -> membershipByAddress(endpoint, acceptsLearned));
  }

  /** Whose it is by a member that names the endpoint, else its MAC, else what its host knows. */
  Optional<Membership> named(ReportedEndpoint endpoint) {
    Membership membership = byEndpoint.get(endpoint.id());
    if (membership == null) {
      membership = byMac.get(endpoint.mac());
    }
    return membership == null ? byMetadata(endpoint.metadata()) : Optional.of(membership);
  }

  private Optional<Membership> byMetadata(EndpointMetadata metadata) {
    return metadata.words().stream()
        .flatMap(word -> byMetadata.getOrDefault(word, List.of()).stream())
        .filter(each -> each.asked().isIn(metadata))
        .min(MetadataMember.ORDER)
        .map(each -> each.membership);
  }

  /** Whether a member names this very endpoint. */
  boolean names(EndpointId endpoint) {
    return byEndpoint.containsKey(endpoint);
  }

  private Membership membershipByAddress(ReportedEndpoint endpoint, boolean acceptsLearned) {
    PrefixMember best = null;
    for (IpAddress ip : endpoint.ips()) {
      if (acceptsLearned || !endpoint.learnedIps().contains(ip)) {
        PrefixMember found = longest(ip);
        if (found != null && (best == null || found.isBefore(best))) {
          best = found;
        }
      }
    }
    return best == null ? Membership.unnamed(tenants.get(TenantId.DEFAULT)) : best.membership;
  }

  /** Of the longest prefix with an address. */
  Optional<Membership> byPrefix(IpAddress ip) {
    return Optional.ofNullable(longest(ip)).map(found -> found.membership);
  }

  private PrefixMember longest(IpAddress ip) {
    int most = ip.isIpv4() ? 32 : 128;
    for (Map.Entry<Integer, Map<IpPrefix, PrefixMember>> each :
        byPrefix.tailMap(most, true).entrySet()) {
      PrefixMember found = each.getValue().get(IpPrefix.of(ip, each.getKey()));
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** In whose prefix an address of an endpoint lies that a member of another tenant names. */
  Optional<TenantId> strangerAt(ReportedEndpoint endpoint, IpAddress ip) {
    return named(endpoint)
        .flatMap(own -> byPrefix(ip).filter(other -> !other.tenant().equals(own.tenant())))
        .map(other -> other.tenant().id());
  }

  /**
   * Refuses a tenant that claims what another one claims just as specifically, or that names the
   * same member twice.
   *
   * @throws SluiceException CONFLICT or INVALID on the member at fault
   */
  void checkMembers(Tenant tenant) throws SluiceException {
    Set<Member> own = new HashSet<>();
    for (int i = 0; i < tenant.members().size(); i++) {
      Member member = tenant.members().get(i);
      TenantId other = namedByOther(member.unweighted(), tenant.id());
      if (other == null && !own.add(member.unweighted())) {
        throw SluiceException.invalid(
            "members[" + i + "]", member, "The tenant names the same member twice", "Name it once");
      }
      if (other != null) {
        throw SluiceException.conflict(
            "members[" + i + "]",
            member,
            "Tenant " + other + " has the very same member",
            "Remove it there first, or name the endpoints more exactly");
      }
    }
  }

  private synchronized TenantId namedByOther(Member member, TenantId tenant) {
    if (namedBy == null) {
      namedBy = new HashMap<>();
      tenants
          .values()
          .forEach(
              each ->
                  each.members()
                      .forEach(
                          one ->
                              namedBy
                                  .computeIfAbsent(one.unweighted(), m -> new ArrayList<>())
                                  .add(each.id())));
    }
    return namedBy.getOrDefault(member, List.of()).stream()
        .filter(other -> !other.equals(tenant))
        .findFirst()
        .orElse(null);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TenantSnapshot && tenants.equals(((TenantSnapshot) other).tenants);
  }

  @Override
  public int hashCode() {
    return tenants.hashCode();
  }

  private static Tenant defaultTenant() {
    try {
      return Tenant.builder(TenantId.DEFAULT).build();
    } catch (SluiceException e) {
      throw new IllegalStateException("the defaults are within bounds", e);
    }
  }
}
