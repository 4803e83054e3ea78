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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
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
import org.sluice.core.spi.OperatorCommand;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.tenant.NicClaims;
import org.sluice.engine.law.GuaranteeAdmission;

/** Tenants, whom they own, and whether what they were promised can be kept. */
final class TenantCheck implements Check {
  /** Beyond these a host's endpoints that no switch has seen are a finding. */
  private static final int MOST_UNSEEN = 8;

  @Override
  public List<Finding> examine(Condition condition) {
    List<Finding> found = new ArrayList<>();
    for (Tenant tenant : condition.tenants()) {
      if (!tenant.id().equals(TenantId.DEFAULT)) {
        members(tenant, condition, found);
      }
    }
    if (condition.tenants().size() > 1) {
      strays(condition, found);
    }
    unseen(condition, found);
    guarantees(condition, found);
    return found;
  }

  private static void members(Tenant tenant, Condition condition, List<Finding> found) {
    PlatformDiagnosis platform = condition.platform();
    if (tenant.members().isEmpty()) {
      found.add(
          Finding.of(
              WARNING,
              about(tenant),
              "It has no members: no endpoint can belong to it",
              set(condition, tenant, " --member 10.1.0.0/16")
                  + " (or a MAC, or HOST/INTERFACE), or "
                  + platform.command(OperatorCommand.REMOVE_TENANT, tenant.id().name())));
      return;
    }
    List<String> idle = new ArrayList<>();
    List<String> used = new ArrayList<>();
    for (Member member : tenant.members()) {
      boolean covers =
          condition.endpoints().stream()
              .anyMatch(e -> member.covers(e.id(), e.mac(), e.ips(), e.metadata()));
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
                  ? platform.command(OperatorCommand.LIST_ENDPOINTS, "")
                      + " lists what there is; "
                      + set(condition, tenant, " --member ...")
                  : "If they are to go: " + set(condition, tenant, options(used))));
    }
  }

  private static void strays(Condition condition, List<Finding> found) {
    List<String> strays =
        condition.endpoints().stream()
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
              condition
                      .platform()
                      .command(OperatorCommand.SET_TENANT, "TENANT --member " + strays.get(0))
                  + ", beside the members that it has"));
    }
  }

  /** Only their hosts say that they are there; virtual machines that have not sent yet are few. */
  private static void unseen(Condition condition, List<Finding> found) {
    Map<TenantId, Tenant> tenants = byId(condition);
    Map<HostId, List<String>> byHost = new TreeMap<>();
    for (Endpoint endpoint : condition.endpoints()) {
      Tenant owner = tenants.get(endpoint.tenant());
      boolean isUnseen =
          owner != null
              && !owner.id().equals(TenantId.DEFAULT)
              && endpoint.attachment().isEmpty()
              && !names(owner, endpoint);
      if (isUnseen) {
        byHost
            .computeIfAbsent(endpoint.id().host(), host -> new ArrayList<>())
            .add(endpoint.id().interfaceName() + " of tenant " + owner.id());
      }
    }
    byHost.forEach(
        (host, unseen) -> {
          if (unseen.size() > MOST_UNSEEN) {
            found.add(
                Finding.of(
                    WARNING,
                    "host " + host,
                    Check.count(unseen.size(), "endpoint")
                        + " that it reports joined tenants by their addresses or what it says of"
                        + " them, and no switch has seen them: "
                        + Check.some(unseen),
                    "If they are virtual machines of yours they need not do anything; else the host"
                        + " lies: name members by HOST/INTERFACE, write addresses into the"
                        + " configuration (\"addresses\"), take the host off the list of hosts"));
          }
        });
  }

  private static Map<TenantId, Tenant> byId(Condition condition) {
    return condition.tenants().stream().collect(Collectors.toMap(Tenant::id, tenant -> tenant));
  }

  /** Endpoints come and move, and the property share changes, after a guarantee was admitted. */
  private static void guarantees(Condition condition, List<Finding> found) {
    Map<PortId, Long> edgePorts = new HashMap<>();
    for (PortCondition port : condition.ports()) {
      if (port.capacityBitsPerSecond() > 0) {
        edgePorts.put(port.id(), port.capacityBitsPerSecond());
      }
    }
    NicClaims claims = new NicClaims(edgePorts);
    condition
        .endpoints()
        .forEach(each -> each.attachment().ifPresent(at -> claims.attached(each.id().host(), at)));
    Map<HostId, Long> nics = new HashMap<>();
    Map<HostId, Long> contradicted = new HashMap<>();
    for (Host host : condition.hosts()) {
      long nicBitsPerSecond = host.uplinkCapacityBitsPerSecond();
      if (nicBitsPerSecond > 0) {
        boolean isBelieved = claims.contradicting(host.id(), nicBitsPerSecond) == null;
        (isBelieved ? nics : contradicted).put(host.id(), nicBitsPerSecond);
      }
    }
    Map<TenantId, Tenant> tenants = byId(condition);
    List<GuaranteeAdmission.Demand> demands = new ArrayList<>();
    for (Endpoint endpoint : condition.endpoints()) {
      Tenant owner = tenants.get(endpoint.tenant());
      if (owner != null && (endpoint.attachment().isPresent() || names(owner, endpoint))) {
        demands.add(
            new GuaranteeAdmission.Demand(
                endpoint.id(), owner.id(), endpoint.attachment(), owner.guaranteeBitsPerSecond()));
      }
    }
    boolean isShared = condition.parameters().sharesAmongTenants();
    refusals(
        condition,
        new GuaranteeAdmission(isShared, nics, edgePorts, demands),
        (tenant, refusal) ->
            Finding.of(
                ERROR,
                about(tenant),
                "Its guarantee would be refused today: " + refusal.getMessage(),
                refusal.remedy() + ": " + set(condition, tenant, " --guarantee MBPS")),
        found);
    refusals(
        condition,
        new GuaranteeAdmission(isShared, contradicted, Map.of(), demands),
        (tenant, refusal) ->
            Finding.of(
                WARNING,
                about(tenant),
                refusal.getMessage()
                    + ", as its agent says; that is far below its edge port's capacity and does"
                    + " not count",
                "Correct uplink.capacityMbps in that host's agent.yaml, or the port's capacity in"
                    + " the network configuration; if both are right, the host lies"),
        found);
  }

  /** Each refusal once, though several tenants have it. */
  private static void refusals(
      Condition condition,
      GuaranteeAdmission admission,
      BiFunction<Tenant, SluiceException, Finding> finding,
      List<Finding> found) {
    Set<String> reported = new HashSet<>();
    for (Tenant tenant : condition.tenants()) {
      try {
        admission.check(tenant.id());
      } catch (SluiceException e) {
        if (reported.add(e.getMessage())) {
          found.add(finding.apply(tenant, e));
        }
      }
    }
  }

  private static boolean names(Tenant tenant, Endpoint endpoint) {
    return tenant.members().stream()
        .anyMatch(member -> member.endpoint().equals(Optional.of(endpoint.id())));
  }

  private static String set(Condition condition, Tenant tenant, String options) {
    return condition.platform().command(OperatorCommand.SET_TENANT, tenant.id() + options);
  }

  private static String options(List<String> members) {
    return members.stream().map(member -> " --member " + member).collect(Collectors.joining());
  }

  private static String about(Tenant tenant) {
    return "tenant " + tenant.id();
  }
}
