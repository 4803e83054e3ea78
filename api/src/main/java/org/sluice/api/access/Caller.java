// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.access;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.sluice.api.Endpoint;
import org.sluice.api.JournalEntry;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.DeadlineSummary;
import org.sluice.api.deadline.FlowState;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.deadline.LossCounts;
import org.sluice.api.queue.BackgroundFlow;
import org.sluice.api.why.FlowPort;
import org.sluice.api.why.PortReason;

/**
 * The requesting user, and what it may see and change. It follows from the names of the roles that
 * the controller's login gave the user; the most powerful one counts.
 *
 * <p>Made anew for every request; not thread-safe.
 */
public final class Caller {
  /** The role of those who see and change everything: the controller's own. */
  public static final String ADMIN_ROLE = "admin";

  /** The role of those who see everything and change nothing: the controller's own. */
  public static final String VIEWER_ROLE = "viewer";

  /** The role of those who see what belongs to their tenants, and may log in for that. */
  public static final String TENANT_ROLE = "sluice-tenant";

  /** What the role that makes a tenant's things a user's own begins with; its name follows. */
  public static final String OWN_ROLE_PREFIX = "sluice-tenant-";

  /** The role that lets a tenant's users register deadlines for its own endpoints. */
  public static final String DEADLINES_ROLE = "sluice-deadlines";

  /** What a user may do; the most powerful first. */
  public enum Role {
    /** Sees and changes everything. */
    ADMIN,
    /** Sees everything. */
    VIEWER,
    /** Sees what belongs to some tenants. */
    TENANT,
    /** Sees nothing. */
    NONE
  }

  private final Predicate<String> hasRole;
  private final Role role;
  private final Map<TenantId, Boolean> own = new HashMap<>();

  private Caller(Predicate<String> hasRole) {
    this.hasRole = hasRole;
    if (hasRole.test(ADMIN_ROLE)) {
      role = Role.ADMIN;
    } else if (hasRole.test(VIEWER_ROLE)) {
      role = Role.VIEWER;
    } else {
      role = hasRole.test(TENANT_ROLE) ? Role.TENANT : Role.NONE;
    }
  }

  /**
   * A user of the controller.
   *
   * @param hasRole whether the controller's login gave the user the role of this name
   */
  public static Caller of(Predicate<String> hasRole) {
    return new Caller(hasRole);
  }

  public Role role() {
    return role;
  }

  /** Whether the user may change anything: tenants, settings, anybody's deadlines. */
  public boolean changesAll() {
    return role == Role.ADMIN;
  }

  /** Whether the user sees everything. */
  public boolean seesAll() {
    return role == Role.ADMIN || role == Role.VIEWER;
  }

  /** Whether the user may register, change and withdraw some tenant's deadlines. */
  public boolean registersDeadlines() {
    return changesAll() || role != Role.NONE && hasRole.test(DEADLINES_ROLE);
  }

  /** Whether the user may register, change and withdraw this tenant's deadlines. */
  public boolean registersDeadlinesOf(TenantId tenant) {
    return changesAll() || registersDeadlines() && owns(tenant);
  }

  /** Whether a tenant's things are the user's own. */
  public boolean owns(TenantId tenant) {
    return role != Role.NONE
        && own.computeIfAbsent(tenant, id -> hasRole.test(OWN_ROLE_PREFIX + id.name()));
  }

  /** Whether the user sees a tenant. */
  public boolean sees(TenantId tenant) {
    return seesAll() || owns(tenant);
  }

  /** Whether the user sees an endpoint: its tenant's, now. */
  public boolean sees(Endpoint endpoint) {
    return sees(endpoint.tenant());
  }

  /** Whether the user sees a registration: of the tenant that it was registered for. */
  public boolean sees(FlowStatus flow) {
    return sees(flow.tenant());
  }

  /** Whether the user sees a background flow: of its source's tenant, now. */
  public boolean sees(BackgroundFlow flow) {
    return seesAll() || flow.tenant().filter(this::owns).isPresent();
  }

  /** Whether the user sees a decision: those about a tenant's own affairs, at their time. */
  public boolean sees(JournalEntry entry) {
    return seesAll() || entry.tenant().filter(this::owns).isPresent();
  }

  /** What the user sees of a port: of others who send through it, only who sees all. */
  public PortReason seen(PortReason reason) {
    return seesAll()
        ? reason
        : reason.toBuilder()
            .port(
                reason.port().toBuilder()
                    .loadBitsPerSecond(0)
                    .carriedBytes(0)
                    .activeEndpoints(0)
                    .activeWeight(0)
                    .build())
            .loadBitsPerSecond(OptionalLong.empty())
            .users(
                reason.users().stream()
                    .filter(user -> owns(user.tenant()))
                    .collect(Collectors.toList()))
            .furtherUsers(OptionalInt.empty())
            .furtherBitsPerSecond(OptionalLong.empty())
            .build();
  }

  /**
   * What the user sees of a place on a flow's path: what is promised to others only who sees all.
   */
  public FlowPort seen(FlowPort place) {
    return seesAll() || place.kind() == FlowPort.Kind.CEILING
        ? place
        : place.toBuilder()
            .promisableBitsPerSecond(OptionalLong.empty())
            .flowsBefore(OptionalInt.empty())
            .bytesBefore(OptionalLong.empty())
            .totalWindowBytes(OptionalLong.empty())
            .build();
  }

  /** What the user sees of a summary: of the network, and of other tenants, only who sees all. */
  public DeadlineSummary seen(DeadlineSummary all) {
    if (seesAll()) {
      return all;
    }
    Map<TenantId, Map<FlowState, Long>> counts = new LinkedHashMap<>();
    all.counts()
        .forEach(
            (tenant, byState) -> {
              if (owns(tenant)) {
                counts.put(tenant, byState);
              }
            });
    return DeadlineSummary.of(counts, List.of(), 0, 0, LossCounts.NONE);
  }
}
