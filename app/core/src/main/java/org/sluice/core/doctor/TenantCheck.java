// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.doctor;

import static org.sluice.api.Finding.Severity.ERROR;
import static org.sluice.api.Finding.Severity.NOTE;
import static org.sluice.api.Finding.Severity.WARNING;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.Endpoint;
import org.sluice.api.Finding;
import org.sluice.api.Host;
import org.sluice.api.HostId;
import org.sluice.api.Member;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.core.doctor.Condition.PortCondition;
import org.sluice.engine.law.GuaranteeAdmission;

/** Tenants, whom they own, and whether what they were promised can be kept. */
final class TenantCheck implements Check {

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    for (Tenant tenant : condition.tenants()) {
      if (!tenant.id().equals(TenantId.DEFAULT)) {
        members(tenant, condition.endpoints(), found);
      }
    }
    if (condition.tenants().size() > 1) {
      strays(condition.endpoints(), found);
    }
    guarantees(condition, found);
    return found;
  }

  private static void members(Tenant tenant, List<Endpoint> endpoints, List<Finding> found) {
    if (tenant.members().isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              about(tenant),
              "It has no members: no endpoint can belong to it",
              set(tenant)
                  + " --member 10.1.0.0/16 (or a MAC, or HOST/INTERFACE), or"
                  + " sluice-tenant-remove "
                  + tenant.id()));
      return;
    }
    List<String> idle = new ArrayList<>();
    List<String> used = new ArrayList<>();
    for (Member member : tenant.members()) {
      boolean covers = endpoints.stream().anyMatch(e -> member.covers(e.id(), e.mac(), e.ips()));
      (covers ? used : idle).add(member.toString());
    }
    if (!idle.isEmpty()) {
      found.add(
          Finding.of(
              NOTE,
              about(tenant),
              (idle.size() == 1 ? "Its member " : "Its members ")
                  + Check.some(idle)
                  + (idle.size() == 1 ? " matches" : " match")
                  + " no endpoint",
              used.isEmpty()
                  ? "sluice-endpoints lists what there is; " + set(tenant) + " --member ..."
                  : "If they are to go: " + set(tenant) + options(used)));
    }
  }

  private static void strays(List<Endpoint> endpoints, List<Finding> found) {
    List<String> strays =
        endpoints.stream()
            .filter(e -> e.tenant().equals(TenantId.DEFAULT))
            .map(e -> e.id().toString())
            .sorted()
            .collect(Collectors.toList());
    if (!strays.isEmpty()) {
      found.add(
          Finding.of(
              NOTE,
              "tenant " + TenantId.DEFAULT,
              Check.count(strays.size(), "endpoint")
                  + " in no tenant of its own: "
                  + Check.some(strays),
              "sluice-tenant-set TENANT --member "
                  + strays.get(0)
                  + ", beside the members that it has"));
    }
  }

  /** Endpoints come and move, and the property share changes, after a guarantee was admitted. */
  private static void guarantees(Condition condition, List<Finding> found) {
    Map<HostId, Long> nics =
        condition.hosts().stream()
            .filter(host -> host.uplinkCapacityBitsPerSecond() > 0)
            .collect(Collectors.toMap(Host::id, Host::uplinkCapacityBitsPerSecond));
    Map<PortId, Long> edgePorts = new HashMap<>();
    for (PortCondition port : condition.ports()) {
      if (port.capacityBitsPerSecond() > 0) {
        edgePorts.put(port.id(), port.capacityBitsPerSecond());
      }
    }
    Map<TenantId, Tenant> tenants =
        condition.tenants().stream().collect(Collectors.toMap(Tenant::id, tenant -> tenant));
    List<GuaranteeAdmission.Demand> demands = new ArrayList<>();
    for (Endpoint endpoint : condition.endpoints()) {
      Tenant owner = tenants.get(endpoint.tenant());
      if (owner != null) {
        demands.add(
            new GuaranteeAdmission.Demand(
                endpoint.id(), owner.id(), endpoint.attachment(), owner.guaranteeBitsPerSecond()));
      }
    }
    GuaranteeAdmission admission =
        new GuaranteeAdmission(
            condition.parameters().sharesAmongTenants(), nics, edgePorts, demands);
    Set<String> reported = new HashSet<>();
    for (Tenant tenant : condition.tenants()) {
      try {
        admission.check(tenant.id());
      } catch (SluiceException e) {
        if (reported.add(e.getMessage())) {
          found.add(
              Finding.of(
                  ERROR,
                  about(tenant),
                  "Its guarantee would be refused today: " + e.getMessage(),
                  e.remedy() + ": " + set(tenant) + " --guarantee MBPS"));
        }
      }
    }
  }

  private static String set(Tenant tenant) {
    return "sluice-tenant-set " + tenant.id();
  }

  private static String options(List<String> members) {
    return members.stream().map(member -> " --member " + member).collect(Collectors.joining());
  }

  private static String about(Tenant tenant) {
    return "tenant " + tenant.id();
  }
}
