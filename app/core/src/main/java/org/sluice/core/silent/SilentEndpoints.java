// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.JournalEntry;
import org.sluice.api.MegabitRate;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.link.AgentLink;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.agentless.AgentlessEndpoints;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.journal.JournalWriter;
import org.sluice.core.profile.ProfileTable;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingListener;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.setting.WithdrawStage;
import org.sluice.core.spi.EdgeLimit;
import org.sluice.core.spi.Platform;
import org.sluice.core.tenant.TenantDirectory;
import org.sluice.engine.Engine;
import org.sluice.engine.control.EndpointShare;

/**
 * Has switches hold endpoints whose agents are silent to what they may send, at their edge ports,
 * while Sluice forwards. An agent is silent from which no node of the cluster has received anything
 * for a lease; what its endpoints may send goes on being decided, since receivers report what
 * arrives. It ends with the agent's return, at once.
 *
 * <p>Those that never had an agent are held to their shares of ports that they have in common with
 * endpoints of agents, and to ceilings. Among themselves they are left alone.
 */
public final class SilentEndpoints implements SettingListener {
  private static final Logger log = LoggerFactory.getLogger(SilentEndpoints.class);
  private static final String STORE = "sluice-silent";
  private static final long CHECK_MILLIS = 500;

  private final Settings settings;
  private final Platform platform;
  private final AgentLink link;
  private final AgentlessEndpoints endpoints;
  private final EndpointLocator locator;
  private final Capacities capacities;
  private final TenantDirectory tenants;
  private final EngineInbox inbox;
  private final Engine engine;
  private final JournalWriter journal;
  private final Execution execution;
  private final SilentHosts hosts;
  private final NodeViews views;
  private final Runnable checkSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::check);
  private ScheduledExecutorService executor;
  private volatile boolean withdrawn;
  private volatile List<SilentEndpoint> states = List.of();

  // Executor thread only:
  private final Map<EndpointId, SilentLimit> limits = new HashMap<>();
  private final Map<String, Long> connectedSince = new HashMap<>();
  private Set<HostId> limitedHosts = Set.of();
  private List<EdgeLimit> asked = List.of();

  /**
   * One that limits nobody yet.
   *
   * @param listens whether agents can connect now
   * @param endpoints those of agents, and those without
   * @param engine queried on its thread
   */
  public SilentEndpoints(
      Settings settings,
      Platform platform,
      AgentLink link,
      BooleanSupplier listens,
      AgentlessEndpoints endpoints,
      EndpointLocator locator,
      Capacities capacities,
      TenantDirectory tenants,
      EngineInbox inbox,
      Engine engine,
      JournalWriter journal,
      Execution execution) {
    this.settings = settings;
    this.platform = platform;
    this.link = link;
    this.endpoints = endpoints;
    this.locator = locator;
    this.capacities = capacities;
    this.tenants = tenants;
    this.inbox = inbox;
    this.engine = engine;
    this.journal = journal;
    this.execution = execution;
    hosts = new SilentHosts(listens, execution.clock()::nanoTime, checkSoon);
    views =
        new NodeViews(
            platform.storage().map(STORE), platform.nodeName(), execution.clock()::nanoTime);
  }

  public void start() {
    executor = execution.sequential("silent");
    platform.edgeLimits().limit(List.of());
    views.start();
    settings.addListener(WithdrawStage.PROFILES, this);
    link.addListener(hosts);
    executor.scheduleWithFixedDelay(this::check, CHECK_MILLIS, CHECK_MILLIS, MILLISECONDS);
  }

  /** What switches hold endpoints to stays with them. */
  public void stop() {
    link.removeListener(hosts);
    settings.removeListener(this);
    views.stop();
    executor.shutdownNow();
  }

  @Override
  public void withdraw() {
    withdrawn = true;
    views.clear();
  }

  /** Endpoints whose agents are silent or that have none, by id, half a second old at most. */
  public List<SilentEndpoint> states() {
    return states;
  }

  private void check() {
    if (withdrawn || !hosts.follow()) {
      return;
    }
    try {
      long leaseNanos = MILLISECONDS.toNanos(settings.get(SettingTable.LEASE_MILLIS));
      List<NodeView> others = views.others();
      // Others are to know it when it is decided.
      Set<HostId> missed = hosts.silentFor(leaseNanos / 2);
      Map<EndpointId, PortId> agentless = endpoints.ports();
      List<ReportedEndpoint> reported =
          missed.isEmpty() && agentless.isEmpty() ? List.of() : endpoints.reported();
      missed.retainAll(hostsOf(reported));
      Set<HostId> silent = hosts.silentFor(leaseNanos);
      silent.removeIf(host -> others.stream().anyMatch(view -> !view.silent().contains(host)));
      Map<EndpointId, EndpointShare> shares = shares(silent, agentless.keySet(), reported);
      publish(missed, shares, others);
      follow(reported, agentless.keySet(), shares, others, leaseNanos);
    } catch (SluiceException e) {
      log.debug(
          "Limits of silent endpoints could not be updated; retrying at the next evaluation", e);
    } catch (RuntimeException e) {
      log.error(
          "Limits of silent endpoints could not be updated; retrying at the next evaluation", e);
    }
  }

  private static Set<HostId> hostsOf(List<ReportedEndpoint> reported) {
    Set<HostId> found = new HashSet<>();
    reported.forEach(endpoint -> found.add(endpoint.id().host()));
    return found;
  }

  /** What this node's engine computes for the endpoints of these hosts. */
  private Map<EndpointId, EndpointShare> shares(
      Set<HostId> silent, Set<EndpointId> agentless, List<ReportedEndpoint> reported)
      throws SluiceException {
    Set<EndpointId> wanted = new TreeSet<>();
    for (ReportedEndpoint endpoint : reported) {
      if (silent.contains(endpoint.id().host()) || agentless.contains(endpoint.id())) {
        wanted.add(endpoint.id());
      }
    }
    if (wanted.isEmpty()) {
      return Map.of();
    }
    return inbox.call(
        now -> {
          Map<EndpointId, EndpointShare> found = new TreeMap<>();
          Map<PortId, Boolean> isCommon = new HashMap<>();
          for (EndpointId id : wanted) {
            boolean hasAgent = !agentless.contains(id);
            engine
                .share(id)
                .map(it -> hasAgent || concerns(it, agentless, isCommon) ? it : it.unbounded())
                .ifPresent(share -> found.put(id, share));
          }
          return found;
        });
  }

  /** Whether what bounds an endpoint without an agent is there for those who have one, too. */
  private boolean concerns(
      EndpointShare share, Set<EndpointId> agentless, Map<PortId, Boolean> isCommon) {
    return share.port().isEmpty()
        || isCommon.computeIfAbsent(
            share.port().get(), port -> engine.isUsed(port, id -> !agentless.contains(id)));
  }

  /** Nothing, as long as no node misses anybody. */
  private void publish(
      Set<HostId> missed, Map<EndpointId, EndpointShare> shares, List<NodeView> others) {
    Map<EndpointId, EndpointShare> bounded = new TreeMap<>(shares);
    bounded.values().removeIf(share -> share.port().isEmpty());
    if (missed.isEmpty()
        && bounded.isEmpty()
        && others.stream().allMatch(view -> view.silent().isEmpty())) {
      views.remove();
      return;
    }
    views.write(new NodeView(missed, bounded));
  }

  private void follow(
      List<ReportedEndpoint> reported,
      Set<EndpointId> agentless,
      Map<EndpointId, EndpointShare> shares,
      List<NodeView> others,
      long leaseNanos) {
    followSwitches();
    boolean isShared = settings.parameters().sharesAmongTenants();
    ProfileTable profiles =
        new ProfileTable(shares.isEmpty() ? List.of() : reported, tenants, isShared);
    List<SilentEndpoint> found = new ArrayList<>();
    List<EdgeLimit> wanted = new ArrayList<>();
    Set<EndpointId> limited = new HashSet<>();
    for (ReportedEndpoint endpoint : reported) {
      EndpointShare own = shares.get(endpoint.id());
      if (own == null) {
        continue;
      }
      EndpointShare share = least(endpoint.id(), own, others);
      Optional<PortId> edge = locator.locate(endpoint);
      long limit = 0;
      if (edge.isPresent() && !endpoint.ips().isEmpty() && isReady(edge.get(), leaseNanos)) {
        limited.add(endpoint.id());
        limit =
            limit(
                profiles.hostProfile(endpoint.id()),
                share,
                edge.get(),
                agentless.contains(endpoint.id()));
      }
      if (limit > 0) {
        wanted.add(EdgeLimit.of(endpoint.id(), edge.get(), endpoint.ips(), limit));
      }
      boolean refused = limit > 0 && platform.edgeLimits().isRefusedBy(edge.get().datapath());
      found.add(SilentEndpoint.of(endpoint.id(), edge, limit, share, refused));
    }
    limits.keySet().retainAll(limited);
    states = List.copyOf(found);
    if (!wanted.equals(asked)) {
      asked = List.copyOf(wanted);
      platform.edgeLimits().limit(wanted);
    }
    wanted.removeIf(limit -> agentless.contains(limit.endpoint()));
    write(wanted);
  }

  /** Switches that come back together with the agents behind them report nothing about these. */
  private void followSwitches() {
    long now = execution.clock().nanoTime();
    Set<String> connected = new HashSet<>(platform.switches().connected());
    connectedSince.keySet().retainAll(connected);
    connected.forEach(datapath -> connectedSince.putIfAbsent(datapath, now));
  }

  private boolean isReady(PortId edge, long leaseNanos) {
    Long since = connectedSince.get(edge.datapath());
    return platform.forwarding().own()
        && since != null
        && execution.clock().nanoTime() - since >= leaseNanos;
  }

  private long limit(
      EndpointProfile profile, EndpointShare share, PortId edge, boolean isAgentless) {
    EndpointId id = profile.endpoint();
    long capacity = capacities.capacity(edge).map(Capacities.Capacity::bitsPerSecond).orElse(0L);
    boolean isLimited = limits.containsKey(id);
    long dueNow =
        SilentLimit.due(
            profile.guaranteeBitsPerSecond(), share, isAgentless && !isLimited ? 0 : capacity);
    if (dueNow == EndpointShare.UNBOUNDED) {
      limits.remove(id);
      return 0;
    }
    long limit =
        limits
            .computeIfAbsent(id, each -> new SilentLimit())
            .follow(dueNow, execution.clock().nanoTime());
    if (isAgentless && dueNow == capacity && limit >= capacity * (1 - SilentLimit.NOTICEABLE)) {
      limits.remove(id);
      return 0;
    }
    return limit;
  }

  /** Of what the ports of all nodes leave to an endpoint. */
  private static EndpointShare least(
      EndpointId endpoint, EndpointShare own, List<NodeView> others) {
    EndpointShare least = own;
    for (NodeView other : others) {
      EndpointShare its = other.shares().get(endpoint);
      if (its != null && its.shareBitsPerSecond() < least.shareBitsPerSecond()) {
        least = its;
      }
    }
    return new EndpointShare(
        own.heldBitsPerSecond(),
        least.port(),
        least.shareBitsPerSecond(),
        least.takenBitsPerSecond());
  }

  /** Notes when it begins and ends for a host, at the node that sees to its switch. */
  private void write(List<EdgeLimit> wanted) {
    Map<HostId, List<String>> byHost = new TreeMap<>();
    for (EdgeLimit limit : wanted) {
      if (platform.mastership().isLocal(limit.port().datapath())) {
        byHost
            .computeIfAbsent(limit.endpoint().host(), host -> new ArrayList<>())
            .add(
                String.format(
                    "%s to %s at %s",
                    limit.endpoint(),
                    MegabitRate.measured(limit.bitsPerSecond()),
                    journal.label(limit.port())));
      }
    }
    byHost.forEach(
        (host, itsLimits) -> {
          if (!limitedHosts.contains(host)) {
            log.warn("The agent of {} is silent; switches limit {}", host, itsLimits);
            journal.write(
                JournalEntry.Kind.HOST,
                "Endpoints of host " + host + " are limited at their edge ports",
                "its agent is silent; " + String.join(", ", itsLimits));
          }
        });
    limitedHosts.stream()
        .filter(host -> !byHost.containsKey(host))
        .forEach(
            host ->
                journal.write(
                    JournalEntry.Kind.HOST,
                    "Endpoints of host " + host + " are not limited at their edge ports any more",
                    endpoints.sessions().containsKey(host)
                        ? "its agent is back"
                        : "they are not behind a port of a switch that this node limits"));
    limitedHosts = Set.copyOf(byHost.keySet());
  }
}
