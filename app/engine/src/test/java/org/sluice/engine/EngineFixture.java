// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.JournalEntry;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.TenantId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.UnitShare;
import org.sluice.engine.control.DecisionSink;
import org.sluice.engine.control.NoticeDraft;
import org.sluice.engine.control.PortAuthority;
import org.sluice.engine.journal.Journal;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.PathOracle;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/**
 * An engine in a network made of words. Endpoint n is {@code hn/vm0} at {@code 10.0.0.n} on host
 * {@code hn}; port n is {@code s/n}; paths are as the test sets them; decisions are written down.
 */
final class EngineFixture {
  static final long MILLIS = 1_000_000L;
  static final long MBIT = 1_000_000L;
  static final int PACKET_BYTES = 1500;

  final Journal journal = new Journal();
  final Engine engine;

  /** To hosts that send through the port. */
  final List<Sent<UnitShare>> shares = new ArrayList<>();

  /** To hosts that are reached through it. */
  final List<Sent<UnitShare>> sharesToRelay = new ArrayList<>();

  final List<Sent<Notice>> notices = new ArrayList<>();

  /** Parts of tenants' ceilings as decided last, bit/s; without those that have none. */
  final Map<EndpointId, Long> ceilings = new HashMap<>();

  int ceilingDecisions;
  final Set<PortId> foreignPorts = new HashSet<>();

  /** Whether nobody decides about those. */
  boolean vacant;

  int lookups;

  private final Map<String, Path> paths = new HashMap<>();
  private final Set<Integer> light = new HashSet<>();
  private long pathEpoch;
  private long authorityEpoch;
  private long nowNanos = 7_000_000_000L;
  private long periodNanos;

  EngineFixture() {
    this(EngineParameters.DEFAULTS);
  }

  EngineFixture(EngineParameters parameters) {
    periodNanos = parameters.controlPeriodNanos();
    PathOracle oracle =
        new PathOracle() {
          @Override
          public long epoch() {
            return pathEpoch;
          }

          @Override
          public Optional<Path> path(EndpointId source, IpAddress destination) {
            lookups++;
            return Optional.ofNullable(paths.get(source + ">" + destination));
          }
        };
    PortAuthority authority =
        new PortAuthority() {
          @Override
          public long epoch() {
            return authorityEpoch;
          }

          @Override
          public boolean decidesAbout(PortId port) {
            return !foreignPorts.contains(port);
          }

          @Override
          public boolean isVacant(PortId port) {
            return vacant;
          }
        };
    DecisionSink sink =
        new DecisionSink() {
          @Override
          public void unitShare(HostId host, UnitShare share) {
            if (!share.endpoints().isEmpty()) {
              shares.add(new Sent<>(host, share));
            }
            if (!share.reached().isEmpty()) {
              sharesToRelay.add(new Sent<>(host, share));
            }
          }

          @Override
          public void notice(HostId host, NoticeDraft notice) {
            notices.add(new Sent<>(host, notice.toNotice()));
          }

          @Override
          public void ceiling(EndpointId endpoint, long bitsPerSecond) {
            ceilingDecisions++;
            if (bitsPerSecond == 0) {
              ceilings.remove(endpoint);
            } else {
              ceilings.put(endpoint, bitsPerSecond);
            }
          }
        };
    engine = new Engine(oracle, authority, sink, journal, parameters);
  }

  // ---------------------------------------------------------------- names

  static HostId host(int n) {
    return HostId.of("h" + n);
  }

  static EndpointId endpoint(int n) {
    return EndpointId.of(host(n), "vm0");
  }

  static IpAddress ip(int n) {
    return IpAddress.parse("10.0." + n / 250 + "." + (n % 250 + 1));
  }

  static PortId port(int n) {
    return PortId.of("s", n);
  }

  /** Of a port of which so much is shared, bit/s. */
  static long capacity(long sharedMbits) {
    return Math.round(sharedMbits * MBIT / 0.985);
  }

  static EndpointProfile profile(int n, double weight, long guarantee, long ceiling) {
    return EndpointProfile.of(endpoint(n), TenantId.of("t" + n), weight, guarantee, ceiling, false);
  }

  static HostObservation observation(int host, long nanos, long interval, PairSample... pairs) {
    return HostObservation.of(host(host), nanos, interval, List.of(pairs), List.of());
  }

  static PairSample sent(int from, int to, long packets) {
    return PairSample.of(ip(from), ip(to), packets, packets * PACKET_BYTES, 0, 0, 0, true);
  }

  static PairSample received(int from, int to, long packets, long marks) {
    return PairSample.of(ip(from), ip(to), 0, 0, packets, packets * PACKET_BYTES, marks);
  }

  // ---------------------------------------------------------------- the network

  /** Adds endpoint n of weight 1 behind a NIC of 10 Gbit/s. */
  EngineFixture endpointAt(int n) {
    return endpointAt(n, 1);
  }

  EngineFixture endpointAt(int n, double weight) {
    engine.putHost(host(n), 10_000 * MBIT);
    engine.putEndpoint(profile(n, weight, 0, 0), Set.of(ip(n)));
    return this;
  }

  /** A port of which so much is shared: the rest, 1.5 % of it, stays free. */
  EngineFixture portOf(int n, long mbits) {
    engine.putPort(port(n), capacity(mbits), CapacitySource.CONFIGURED);
    return this;
  }

  EngineFixture path(int from, int to, int... ports) {
    List<Path.Hop> hops = new ArrayList<>();
    for (int port : ports) {
      hops.add(Path.Hop.of(port(port)));
    }
    return path(from, to, Path.of(hops, false));
  }

  EngineFixture path(int from, int to, Path path) {
    paths.put(endpoint(from) + ">" + ip(to), path);
    return this;
  }

  EngineFixture noPath(int from, int to) {
    paths.remove(endpoint(from) + ">" + ip(to));
    return this;
  }

  EngineFixture topologyChanged() {
    pathEpoch++;
    return this;
  }

  EngineFixture authorityChanged() {
    authorityEpoch++;
    return this;
  }

  /** Senders 1..n of weight 1 to endpoint 9, over port 1 (50 Mbit/s), then edge port 2 (1000). */
  static EngineFixture dumbbell(int senders) {
    return dumbbell(senders, EngineParameters.DEFAULTS);
  }

  static EngineFixture dumbbell(int senders, EngineParameters parameters) {
    EngineFixture fixture =
        new EngineFixture(parameters).portOf(1, 50).portOf(2, 1000).endpointAt(9);
    for (int n = 1; n <= senders; n++) {
      fixture.endpointAt(n).path(n, 9, 1, 2);
    }
    return fixture;
  }

  // ---------------------------------------------------------------- what happens

  /** A host reports what it saw in the last T_i. */
  EngineFixture observe(int host, PairSample... pairs) {
    engine.observe(observation(host, nowNanos, periodNanos, pairs));
    return this;
  }

  /** An endpoint sends all that it wants from now on: what it sends never waits. */
  EngineFixture light(int... endpoints) {
    for (int n : endpoints) {
      light.add(n);
    }
    return this;
  }

  /** Packets reach their destination, and both hosts report so. */
  EngineFixture traffic(int from, int to, long packets, long marks) {
    PairSample sample =
        PairSample.of(
            ip(from), ip(to), packets, packets * PACKET_BYTES, 0, 0, 0, !light.contains(from));
    return observe(from, sample).observe(to, received(from, to, packets, marks));
  }

  /** Ends a control period; what was decided before is forgotten. */
  EngineFixture tick() {
    nowNanos += periodNanos;
    return tickAt(nowNanos);
  }

  EngineFixture tickAt(long nanos) {
    nowNanos = nanos;
    shares.clear();
    sharesToRelay.clear();
    notices.clear();
    engine.tick(nanos, nanos / MILLIS);
    return this;
  }

  /** Ticks for so long; what was decided in it is kept. */
  EngineFixture pass(long millis) {
    List<Sent<UnitShare>> keptShares = new ArrayList<>();
    List<Sent<Notice>> keptNotices = new ArrayList<>();
    for (long end = nowNanos + millis * MILLIS; nowNanos < end; ) {
      tick();
      keptShares.addAll(shares);
      keptNotices.addAll(notices);
    }
    shares.clear();
    shares.addAll(keptShares);
    notices.clear();
    notices.addAll(keptNotices);
    return this;
  }

  long now() {
    return nowNanos;
  }

  // ---------------------------------------------------------------- what came of it

  /** The unit shares that a host was sent since the last tick or pass. */
  List<UnitShare> sharesTo(int host) {
    return sentTo(shares, host);
  }

  List<Notice> noticesTo(int host) {
    return sentTo(notices, host);
  }

  private static <T> List<T> sentTo(List<Sent<T>> all, int host) {
    return all.stream()
        .filter(sent -> sent.host.equals(host(host)))
        .map(sent -> sent.message)
        .collect(Collectors.toList());
  }

  PortStatus status(int port) {
    return engine.portStatuses().stream()
        .filter(status -> status.id().equals(port(port)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no status of port " + port));
  }

  /** What passes a port now, bit/s, as laws go by it. */
  long load(int port) {
    return engine.loadBitsPerSecond(port(port));
  }

  /** What a tenant's endpoints get through now, bit/s. */
  long delivered(TenantId tenant) {
    return engine.state.tenants.deliveredBitsPerSecond[engine.state.tenants.find(tenant)];
  }

  long figure(Figure figure) {
    return engine.statistics().get(figure);
  }

  /** Oldest first. */
  List<JournalEntry> journaled(JournalEntry.Kind kind) {
    List<JournalEntry> all = journal.entries(-1, Optional.empty(), Journal.CAPACITY);
    List<JournalEntry> result = new ArrayList<>();
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).kind() == kind) {
        result.add(all.get(i));
      }
    }
    return result;
  }

  /** A decision and the host that it went to. */
  static final class Sent<T> {
    final HostId host;
    final T message;

    Sent(HostId host, T message) {
      this.host = host;
      this.message = message;
    }
  }
}
