// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.api.IpAddress;
import org.sluice.api.Member;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.link.ReportedEndpoint;

/** Addresses that endpoints hold, and that a change of tenants would have refused to them. */
final class AddressLosses {
  private final List<Loss> losses = new ArrayList<>();
  private final Map<TenantId, List<Loss>> byOwner = new HashMap<>();

  private static final class Loss {
    final ReportedEndpoint endpoint;
    final IpAddress ip;

    /** Whose member names the endpoint. */
    final Tenant owner;

    /** In whose prefix the address lies. */
    final TenantId stranger;

    Loss(ReportedEndpoint endpoint, IpAddress ip, Tenant owner, TenantId stranger) {
      this.endpoint = endpoint;
      this.ip = ip;
      this.owner = owner;
      this.stranger = stranger;
    }

    /** Whether it is by this member of one of the two tenants. */
    boolean isBy(Tenant tenant, Member member) {
      return tenant.id().equals(owner.id())
          ? member.ipPrefix().isEmpty()
              && member.covers(endpoint.id(), endpoint.mac(), Set.of(), endpoint.metadata())
          : member.ipPrefix().filter(prefix -> prefix.contains(ip)).isPresent();
    }
  }

  /**
   * What would be lost.
   *
   * @param endpoints with the addresses that they hold
   */
  AddressLosses(TenantSnapshot before, TenantSnapshot after, List<ReportedEndpoint> endpoints) {
    for (ReportedEndpoint endpoint : endpoints) {
      after.named(endpoint).ifPresent(named -> add(before, after, endpoint, named.tenant()));
    }
  }

  private void add(
      TenantSnapshot before, TenantSnapshot after, ReportedEndpoint endpoint, Tenant owner) {
    for (IpAddress ip : endpoint.ips()) {
      after
          .strangerAt(endpoint, ip)
          .filter(stranger -> before.strangerAt(endpoint, ip).isEmpty())
          .ifPresent(stranger -> add(new Loss(endpoint, ip, owner, stranger)));
    }
  }

  private void add(Loss loss) {
    losses.add(loss);
    byOwner.computeIfAbsent(loss.owner.id(), owner -> new ArrayList<>()).add(loss);
  }

  /**
   * Refuses a change of one tenant if anything would be lost by it.
   *
   * @throws SluiceException UNCONFIRMED, on the member at fault
   */
  void check(Tenant changed) throws SluiceException {
    check(losses, changed);
  }

  /**
   * Refuses one tenant of a changed set if anything would be lost that it names.
   *
   * @throws SluiceException UNCONFIRMED, on the member at fault
   */
  void checkNamedBy(Tenant tenant) throws SluiceException {
    check(byOwner.getOrDefault(tenant.id(), List.of()), tenant);
  }

  /**
   * Refuses a removal if anything would be lost by it.
   *
   * @throws SluiceException UNCONFIRMED
   */
  void checkRemoval() throws SluiceException {
    if (!losses.isEmpty()) {
      throw refusal(losses, "", "");
    }
  }

  private static void check(List<Loss> losses, Tenant tenant) throws SluiceException {
    if (losses.isEmpty()) {
      return;
    }
    for (int i = 0; i < tenant.members().size(); i++) {
      Member member = tenant.members().get(i);
      if (losses.get(0).isBy(tenant, member)) {
        throw refusal(losses, "members[" + i + "]", member.toString());
      }
    }
    throw refusal(losses, "", "");
  }

  private static SluiceException refusal(List<Loss> losses, String field, String value) {
    Loss first = losses.get(0);
    return new SluiceException(
        SluiceException.Kind.UNCONFIRMED,
        field,
        value,
        String.format(
            "%s would lose its address %s and be cut off: it would be named by tenant %s, and the"
                + " address lies in a prefix of tenant %s%s",
            first.endpoint.id(),
            first.ip,
            first.owner.id(),
            first.stranger,
            losses.size() == 1 ? "" : "; so would " + (losses.size() - 1) + " other addresses"),
        String.format(
            "Take %s from tenant %s and make it a member of %s, or, if that is meant, allow it:"
                + " --allow-refused-addresses, by REST ?allowRefusedAddresses=true",
            first.ip, first.stranger, first.owner.id()));
  }
}
