// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.why;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.Host;
import org.sluice.api.HostDirectory;
import org.sluice.api.JournalEntry;
import org.sluice.api.JournalQuery;
import org.sluice.api.JournalService;
import org.sluice.api.PortId;
import org.sluice.api.PortLimit;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantService;
import org.sluice.api.access.Caller;
import org.sluice.api.deadline.FlowStatus;
import org.sluice.api.why.Explanation;
import org.sluice.api.why.Explanation.Cause;
import org.sluice.api.why.ExplanationService;
import org.sluice.api.why.FlowExplanation;
import org.sluice.api.why.PortReason;
import org.sluice.api.why.PortUserStatus;
import org.sluice.core.deadline.DeadlineRunner;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.engine.Engine;
import org.sluice.engine.control.EndpointShare;
import org.sluice.engine.control.PortUse;
import org.sluice.engine.control.PortUser;

/**
 * Puts together what the engine, the endpoint's host and the journal have about one endpoint. Reads
 * only; thread-safe.
 */
public final class Explanations implements ExplanationService {
  /** A limit within so much of another is the same: both are rounded on their way. */
  private static final double SAME = 0.01;

  /** Most users of a port that are named. */
  private static final int MOST_NAMED = 16;

  private static final int MOST_ENTRIES = 5;

  private final EngineInbox inbox;
  private final Engine engine;
  private final EndpointService endpoints;
  private final TenantService tenants;
  private final HostDirectory hosts;
  private final PortService ports;
  private final JournalService journal;
  private final FlowExplanations flows;

  /**
   * The service.
   *
   * @param engine queried by way of the inbox
   */
  public Explanations(
      EngineInbox inbox,
      Engine engine,
      EndpointService endpoints,
      TenantService tenants,
      HostDirectory hosts,
      PortService ports,
      JournalService journal,
      DeadlineRunner deadlines) {
    this.inbox = inbox;
    this.engine = engine;
    this.endpoints = endpoints;
    this.tenants = tenants;
    this.hosts = hosts;
    this.ports = ports;
    this.journal = journal;
    this.flows = new FlowExplanations(deadlines::account, ports, journal);
  }

  /** What the engine has of an endpoint at one moment. */
  private static final class Account {
    final Optional<EndpointShare> share;
    final List<PortUse> uses;
    final long deliveredBitsPerSecond;

    Account(Optional<EndpointShare> share, List<PortUse> uses, long deliveredBitsPerSecond) {
      this.share = share;
      this.uses = uses;
      this.deliveredBitsPerSecond = deliveredBitsPerSecond;
    }
  }

  @Override
  public FlowExplanation why(FlowStatus flow, Caller caller) throws SluiceException {
    return flows.why(flow, caller);
  }

  @Override
  public Explanation why(Endpoint endpoint, Caller caller) throws SluiceException {
    EndpointId id = endpoint.id();
    Account account =
        inbox.call(
            now ->
                new Account(engine.share(id), engine.uses(id), engine.deliveredBitsPerSecond(id)));
    List<PortReason> reasons = reasons(endpoint, account, caller);
    Cause cause = cause(endpoint, account, reasons);
    double weight = tenants.tenant(endpoint.tenant()).map(Tenant::weight).orElse(1.0);
    Explanation.Builder builder =
        Explanation.builder(id, endpoint.tenant())
            .tenantWeight(weight)
            .cause(cause)
            .deliveredBitsPerSecond(account.deliveredBitsPerSecond)
            .limitBitsPerSecond(limit(endpoint, cause, reasons))
            .ports(reasons)
            .journal(entries(endpoint, reasons, caller))
            .summary("")
            .lines(List.of());
    return new Wording(
            builder.build(),
            tenants.tenant(endpoint.tenant()),
            endpoint.refusedIps(),
            caller.seesAll())
        .worded();
  }

  // ---------------------------------------------------------------- ports

  private List<PortReason> reasons(Endpoint endpoint, Account account, Caller caller) {
    Map<PortId, PortLimit> limits =
        endpoint.limits().stream().collect(Collectors.toMap(PortLimit::port, Function.identity()));
    Map<EndpointId, Endpoint> known =
        account.uses.isEmpty()
            ? Map.of()
            : endpoints.endpoints().stream()
                .collect(Collectors.toMap(Endpoint::id, Function.identity(), (a, b) -> a));
    double usedUp = usedUp(endpoint, account, limits);
    List<PortReason> reasons = new ArrayList<>();
    for (PortUse use : account.uses) {
      PortLimit limit = limits.get(use.port());
      boolean binding = limit != null && usedPart(endpoint, use, limit) >= usedUp;
      ports
          .port(use.port())
          .ifPresent(
              port -> reasons.add(reason(endpoint, use, port, limit, binding, known, caller)));
    }
    reasons.sort(
        Comparator.comparing((PortReason reason) -> !reason.binding())
            .thenComparing(reason -> reason.limitBitsPerSecond().orElse(Long.MAX_VALUE))
            .thenComparing(reason -> reason.port().id()));
    return reasons;
  }

  private PortReason reason(
      Endpoint endpoint,
      PortUse use,
      PortStatus port,
      PortLimit limit,
      boolean binding,
      Map<EndpointId, Endpoint> known,
      Caller caller) {
    List<PortUserStatus> named = new ArrayList<>();
    int further = 0;
    long furtherRate = 0;
    for (PortUser user : use.users()) {
      if (user.endpoint().equals(endpoint.id())) {
        continue;
      }
      Endpoint other = known.get(user.endpoint());
      if (other != null && caller.sees(other) && named.size() < MOST_NAMED) {
        named.add(named(user, other));
      } else {
        further++;
        furtherRate += user.takenBitsPerSecond();
      }
    }
    PortReason reason =
        PortReason.builder(port)
            .binding(binding)
            .limitBitsPerSecond(Optional.ofNullable(limit).map(PortLimit::rateBitsPerSecond))
            .deliveredBitsPerSecond(takenBitsPerSecond(endpoint, use))
            .dueBitsPerSecond(known(use.dueBitsPerSecond()))
            .dueByWeightBitsPerSecond(known(use.dueByWeightBitsPerSecond()))
            .dueOfTwiceTheWeightBitsPerSecond(known(use.dueOfTwiceTheWeightBitsPerSecond()))
            .users(named)
            .furtherUsers(OptionalInt.of(further))
            .furtherBitsPerSecond(OptionalLong.of(furtherRate))
            .build();
    return caller.seen(reason);
  }

  /**
   * The least part of a port's limit that binds. Rates vary from report to report: of an endpoint
   * that has been found held back, within the last second, and that uses up nothing at this moment,
   * what it uses most of binds.
   */
  private static double usedUp(Endpoint endpoint, Account account, Map<PortId, PortLimit> limits) {
    boolean usesUpAll =
        account.deliveredBitsPerSecond >= EndpointShare.USED_UP * endpoint.rateBitsPerSecond();
    if (!endpoint.traffic().heldBack() || usesUpAll) {
      return EndpointShare.USED_UP;
    }
    double most = 0;
    for (PortUse use : account.uses) {
      PortLimit limit = limits.get(use.port());
      most = limit == null ? most : Math.max(most, usedPart(endpoint, use, limit));
    }
    return most > 0 ? Math.min(most, EndpointShare.USED_UP) : EndpointShare.USED_UP;
  }

  private static double usedPart(Endpoint endpoint, PortUse use, PortLimit limit) {
    return (double) takenBitsPerSecond(endpoint, use) / bound(use, limit);
  }

  /** Hosts' limits move about what is due: of both, whichever binds. */
  private static long bound(PortUse use, PortLimit limit) {
    return use.dueBitsPerSecond() > 0
        ? Math.min(use.dueBitsPerSecond(), limit.rateBitsPerSecond())
        : limit.rateBitsPerSecond();
  }

  /** What an endpoint gets through a port; 0 if it is not among those that send through it. */
  private static long takenBitsPerSecond(Endpoint endpoint, PortUse use) {
    for (PortUser user : use.users()) {
      if (user.endpoint().equals(endpoint.id())) {
        return user.takenBitsPerSecond();
      }
    }
    return 0;
  }

  private PortUserStatus named(PortUser user, Endpoint other) {
    return PortUserStatus.of(
        other.id(),
        other.tenant(),
        tenants.tenant(other.tenant()).map(Tenant::weight).orElse(1.0),
        user.takenBitsPerSecond());
  }

  private static Optional<Long> known(long bitsPerSecond) {
    return bitsPerSecond > 0 ? Optional.of(bitsPerSecond) : Optional.empty();
  }

  // ---------------------------------------------------------------- cause

  private Cause cause(Endpoint endpoint, Account account, List<PortReason> reasons) {
    if (hosts.host(endpoint.id().host()).filter(Host::connected).isEmpty()) {
      return Cause.NOT_REPORTED;
    }
    if (!endpoint.refusedIps().isEmpty()) {
      return Cause.REFUSED_ADDRESS;
    }
    long all = endpoint.rateBitsPerSecond();
    if (all == 0) {
      return Cause.NOT_ENFORCED;
    }
    if (reasons.stream().anyMatch(PortReason::binding)) {
      return Cause.PORT;
    }
    if (account.deliveredBitsPerSecond < EndpointShare.USED_UP * all) {
      return Cause.NOTHING;
    }
    return isCeiling(endpoint, account, all) ? Cause.CEILING : Cause.UPLINK;
  }

  /** Whether the limit on all that it sends is its part of its tenant's ceiling. */
  private boolean isCeiling(Endpoint endpoint, Account account, long all) {
    long nic = hosts.host(endpoint.id().host()).map(Host::uplinkCapacityBitsPerSecond).orElse(0L);
    long held = account.share.map(EndpointShare::heldBitsPerSecond).orElse(Long.MAX_VALUE);
    boolean hasCeiling =
        tenants.tenant(endpoint.tenant()).map(Tenant::ceilingBitsPerSecond).orElse(0L) > 0;
    return hasCeiling && (nic == 0 || held < nic) && Math.abs(all - held) <= SAME * held;
  }

  private static long limit(Endpoint endpoint, Cause cause, List<PortReason> reasons) {
    if (cause == Cause.PORT) {
      return reasons.get(0).limitBitsPerSecond().orElse(0L);
    }
    return cause == Cause.NOTHING && !endpoint.limits().isEmpty()
        ? Math.min(endpoint.rateBitsPerSecond(), endpoint.limits().get(0).rateBitsPerSecond())
        : endpoint.rateBitsPerSecond();
  }

  // ---------------------------------------------------------------- journal

  private List<JournalEntry> entries(Endpoint endpoint, List<PortReason> reasons, Caller caller) {
    List<JournalEntry> found = new ArrayList<>();
    for (PortReason reason : reasons) {
      found.addAll(
          journal.entries(
              JournalQuery.builder().port(reason.port().id()).limit(MOST_ENTRIES).build()));
    }
    found.addAll(
        journal.entries(
            JournalQuery.builder()
                .endpoint(Optional.of(endpoint.id()))
                .limit(MOST_ENTRIES)
                .build()));
    return found.stream()
        .filter(caller::sees)
        .distinct()
        .sorted(Comparator.comparingLong(JournalEntry::sequence).reversed())
        .limit(MOST_ENTRIES)
        .collect(Collectors.toList());
  }
}
