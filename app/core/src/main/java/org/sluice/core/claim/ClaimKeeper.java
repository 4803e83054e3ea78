// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.claim;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.claim.ClaimCodec.Yielded;
import org.sluice.core.registry.EndpointLocator;
import org.sluice.core.registry.EndpointRegistry;
import org.sluice.core.runtime.CoalescedTask;
import org.sluice.core.runtime.Execution;
import org.sluice.core.runtime.TakeoverTerms;
import org.sluice.core.setting.Topics;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.StorageUnavailableException;
import org.sluice.core.spi.Switches;
import org.sluice.core.tenant.TenantDirectory;

/**
 * Decides claims of addresses once for the cluster. The leader of {@value Topics#CLUSTER} writes
 * who holds what into a map of the cluster, by host; all nodes, it too, go by the map. A decision
 * stands until its endpoint gives the address up, an operator's inventory says otherwise, or
 * another host claims the address while the holder's is proven to be gone: it has been away for
 * {@link #YIELD_NANOS}, and its edge ports are down. That alone says little, as agents lose
 * controllers: so who is back within {@link #RETURN_MILLIS} has the address again. The map outlives
 * the application: whoever connects first after an upgrade may not be whose an address is.
 */
public final class ClaimKeeper {
  /** For so long a host's addresses stay its own while it is away from the leader, ns. */
  public static final long YIELD_NANOS = SECONDS.toNanos(10);

  /** Who is back so soon has again what went to others, ms. */
  static final long RETURN_MILLIS = TimeUnit.DAYS.toMillis(1);

  /** Of a host behind more ports nothing is proven. */
  private static final int MOST_PORTS = 8;

  private static final Logger log = LoggerFactory.getLogger(ClaimKeeper.class);
  private static final String STORE = "sluice-claims";
  private static final long CHECK_SECONDS = 5;

  private final EndpointRegistry registry;
  private final TenantDirectory tenants;
  private final EndpointLocator locator;
  private final Switches switches;
  private final OperatorConfiguration configuration;
  private final Leadership leadership;
  private final ReplicatedMap store;
  private final Execution execution;
  private final LongSupplier clockMillis;
  private final TakeoverTerms terms;

  private final Runnable decideSoon;
  private final Runnable rulesSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::follow);
  private final Runnable readSoon =
      new CoalescedTask(command -> this.executor.execute(command), this::read);
  private final ReplicatedMap.Listener storeListener = (key, before, now) -> readSoon.run();

  private ScheduledExecutorService executor;

  // Executor thread only:
  private final Map<HostId, Long> awaySince = new HashMap<>();

  /**
   * The edge ports behind which hosts' endpoints were ever seen while they were there. None is
   * taken away: what a host sends in another's name must not become proof.
   */
  private final Map<HostId, Set<PortId>> edgePorts = new HashMap<>();

  /** What was read last: most of it is the same when it is read again. */
  private Map<HostId, Stored> lastStored = Map.of();

  private long leadingTerm = Long.MIN_VALUE;
  private long leadingSinceNanos;

  /**
   * One that does nothing yet.
   *
   * @param clockMillis the cluster's steady time, ms since the epoch
   */
  public ClaimKeeper(
      EndpointRegistry registry,
      TenantDirectory tenants,
      EndpointLocator locator,
      Switches switches,
      OperatorConfiguration configuration,
      Leadership leadership,
      ReplicatedStorage storage,
      Execution execution,
      LongSupplier clockMillis) {
    this.registry = registry;
    this.tenants = tenants;
    this.locator = locator;
    this.switches = switches;
    this.configuration = configuration;
    this.leadership = leadership;
    this.store = storage.map(STORE);
    this.execution = execution;
    this.clockMillis = clockMillis;
    terms = new TakeoverTerms(clockMillis);
    decideSoon =
        new CoalescedTask(
            (command, delay) -> this.executor.schedule(command, delay, NANOSECONDS),
            this::decide,
            execution.clock()::nanoTime);
  }

  public void start() {
    executor = execution.sequential("claims");
    registry.setRules(new InventoryRules(configuration.inventory(), tenants));
    store.addListener(storeListener);
    configuration.epoch().addListener(rulesSoon);
    tenants.epoch().addListener(rulesSoon);
    registry.epoch().addListener(decideSoon);
    leadership.epoch().addListener(decideSoon);
    executor.scheduleWithFixedDelay(this::check, 0, CHECK_SECONDS, SECONDS);
  }

  public void stop() {
    leadership.epoch().removeListener(decideSoon);
    registry.epoch().removeListener(decideSoon);
    tenants.epoch().removeListener(rulesSoon);
    configuration.epoch().removeListener(rulesSoon);
    store.removeListener(storeListener);
    executor.shutdownNow();
  }

  /** From time to time: what a listener missed, and hosts that have been away for long enough. */
  private void check() {
    Set<HostId> connected = registry.sessions().keySet();
    for (ReportedEndpoint endpoint : registry.reported()) {
      HostId host = endpoint.id().host();
      if (connected.contains(host)) {
        locator
            .locate(endpoint)
            .ifPresent(port -> edgePorts.computeIfAbsent(host, h -> new HashSet<>()).add(port));
      }
    }
    if (!decide()) {
      read();
    }
  }

  private void follow() {
    registry.setRules(new InventoryRules(configuration.inventory(), tenants));
  }

  /** An entry of the map. */
  private static final class Stored {
    final Versioned entry;
    final ClaimCodec claims;

    Stored(HostId host, Versioned entry) {
      this.entry = entry;
      claims = ClaimCodec.decode(host, entry.value());
    }

    /** Whether this is what it holds, and all of it. */
    boolean isJust(Map<EndpointId, Set<IpAddress>> held) {
      return claims.held.equals(held) && claims.yielded.isEmpty();
    }

    boolean isNewerThan(Stored other) {
      return claims.term != other.claims.term
          ? claims.term > other.claims.term
          : entry.version() > other.entry.version();
    }
  }

  private Map<HostId, Stored> stored() throws StorageUnavailableException {
    Map<HostId, Stored> stored = new TreeMap<>();
    store
        .entries()
        .forEach(
            (name, entry) -> {
              HostId host = HostId.of(name);
              Stored known = lastStored.get(host);
              boolean isKnown = known != null && known.entry.equals(entry);
              stored.put(host, isKnown ? known : new Stored(host, entry));
            });
    lastStored = stored;
    return stored;
  }

  /** Takes over what the cluster has decided. */
  private void read() {
    try {
      registry.setDecisions(holders(stored()));
    } catch (StorageUnavailableException e) {
      log.debug("Claims could not be read; those read last stay in effect", e);
    }
  }

  /** Where two entries have an address the newer holds. */
  private static Map<IpAddress, EndpointId> holders(Map<HostId, Stored> stored) {
    Map<IpAddress, EndpointId> holders = new HashMap<>();
    Map<IpAddress, Stored> writers = new HashMap<>();
    for (Stored each : stored.values()) {
      each.claims.held.forEach(
          (endpoint, ips) -> {
            for (IpAddress ip : ips) {
              Stored other = writers.get(ip);
              if (other == null || each.isNewerThan(other)) {
                writers.put(ip, each);
                holders.put(ip, endpoint);
              }
            }
          });
    }
    return holders;
  }

  /** The leader's part: reads what is decided, and decides what is open. */
  private boolean decide() {
    OptionalLong leads = leadership.localTerm(Topics.CLUSTER);
    if (leads.isEmpty()) {
      leadingTerm = Long.MIN_VALUE;
      return false;
    }
    long now = execution.clock().nanoTime();
    if (leadingTerm != leads.getAsLong()) {
      leadingTerm = leads.getAsLong();
      leadingSinceNanos = now;
      awaySince.clear();
    }
    Set<HostId> connected = registry.sessions().keySet();
    awaySince.keySet().removeAll(connected);
    try {
      Map<HostId, Stored> stored = stored();
      stored.keySet().stream()
          .filter(host -> !connected.contains(host))
          .forEach(host -> awaySince.putIfAbsent(host, now));
      registry.setDecisions(holders(stored));
      write(
          terms.term(Topics.CLUSTER, leadingTerm),
          stored,
          registry.decide(host -> yields(host, now), formers(stored)));
    } catch (StorageUnavailableException e) {
      log.debug("Claims are not decided until the cluster's storage is available again", e);
    } catch (RuntimeException e) {
      log.error("Claims were not decided; retrying in a few seconds", e);
    }
    return true;
  }

  /** Whether what a host holds may go to others: it is away, and its switches say so, too. */
  private boolean yields(HostId host, long nowNanos) {
    Long since = awaySince.get(host);
    Set<PortId> ports = edgePorts.getOrDefault(host, Set.of());
    return since != null
        && nowNanos - Math.max(since, leadingSinceNanos) >= YIELD_NANOS
        && !ports.isEmpty()
        && ports.size() <= MOST_PORTS
        && ports.stream().allMatch(this::isDown);
  }

  private boolean isDown(PortId port) {
    return switches.isConnected(port.datapath())
        && switches.ports(port.datapath()).stream().noneMatch(up -> up.id().equals(port));
  }

  /** Whose addresses were until another host got them, less than a day ago. */
  private Map<IpAddress, EndpointId> formers(Map<HostId, Stored> stored) {
    Map<IpAddress, EndpointId> formers = new HashMap<>();
    stored.values().forEach(each -> recent(each).forEach((ip, by) -> formers.put(ip, by.former)));
    return formers;
  }

  private Map<IpAddress, Yielded> recent(Stored host) {
    Map<IpAddress, Yielded> recent = new TreeMap<>(host.claims.yielded);
    long oldest = clockMillis.getAsLong() - RETURN_MILLIS;
    recent.values().removeIf(by -> by.atMillis <= oldest);
    return recent;
  }

  /** What a host that is away has to get back: what it still had, and what it had before that. */
  private Map<IpAddress, Yielded> yielded(
      Stored before, Map<EndpointId, Set<IpAddress>> now, Set<IpAddress> given) {
    Map<IpAddress, Yielded> yielded = recent(before);
    Set<IpAddress> kept = addresses(now);
    before.claims.held.forEach(
        (endpoint, ips) ->
            ips.stream()
                .filter(ip -> given.contains(ip) && !kept.contains(ip))
                .forEach(ip -> yielded.put(ip, new Yielded(endpoint, clockMillis.getAsLong()))));
    yielded.keySet().removeAll(kept);
    return yielded;
  }

  /** Entries that lose an address first: two that have one are read as the newer's. */
  private void write(
      long term, Map<HostId, Stored> stored, Map<HostId, Map<EndpointId, Set<IpAddress>>> decided) {
    Map<HostId, Map<EndpointId, Set<IpAddress>>> wanted = new TreeMap<>();
    Set<IpAddress> given = new HashSet<>();
    decided.values().forEach(held -> held.values().forEach(given::addAll));
    Set<HostId> connected = registry.sessions().keySet();
    wanted.putAll(decided);
    stored.forEach(
        (host, before) -> {
          if (connected.contains(host) && before.isJust(decided.get(host))) {
            wanted.remove(host);
          } else if (!decided.containsKey(host)) {
            wanted.put(host, without(given, before.claims.held));
          }
        });
    boolean complete = true;
    for (boolean losing : new boolean[] {true, false}) {
      for (Map.Entry<HostId, Map<EndpointId, Set<IpAddress>>> each : wanted.entrySet()) {
        Stored before = stored.get(each.getKey());
        Map<EndpointId, Set<IpAddress>> now = each.getValue();
        boolean isAway =
            before != null
                && !connected.contains(each.getKey())
                && !registry.isForgotten(each.getKey());
        ClaimCodec claims =
            new ClaimCodec(term, now, isAway ? yielded(before, now, given) : Map.of());
        boolean loses =
            before != null && !addresses(now).containsAll(addresses(before.claims.held));
        if (loses == losing && !claims.body().equals(before == null ? "" : before.claims.body())) {
          complete &= put(each.getKey().name(), before, claims);
        }
      }
    }
    if (!complete) {
      decideSoon.run(); // Another node has written meanwhile: from there.
    }
  }

  private boolean put(String host, Stored before, ClaimCodec claims) {
    if (before == null) {
      return store.putIfAbsent(host, claims.encode());
    }
    return claims.body().isEmpty()
        ? store.remove(host, before.entry.version())
        : store.replace(host, before.entry.version(), claims.encode());
  }

  /** What a host that has not reported to this leader keeps. */
  private static Map<EndpointId, Set<IpAddress>> without(
      Set<IpAddress> given, Map<EndpointId, Set<IpAddress>> held) {
    Map<EndpointId, Set<IpAddress>> kept = new TreeMap<>();
    held.forEach(
        (endpoint, ips) -> {
          Set<IpAddress> left = new TreeSet<>(ips);
          left.removeAll(given);
          if (!left.isEmpty()) {
            kept.put(endpoint, left);
          }
        });
    return kept;
  }

  private static Set<IpAddress> addresses(Map<EndpointId, Set<IpAddress>> held) {
    Set<IpAddress> all = new TreeSet<>();
    held.values().forEach(all::addAll);
    return all;
  }
}
