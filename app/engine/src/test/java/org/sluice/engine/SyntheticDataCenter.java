// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
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

/**
 * A network of the size that the engine is measured at: 100 switches of 48 ports, 4000 endpoints of
 * 50 tenants, 80,000 pairs on paths of 4 ports, 240 ports that mark. 80 switches are edges with 10
 * hosts and 8 uplinks each; all pairs send all the time, alike, so that those of great weight leave
 * some of their part. Weights are 1 to 4, of tenants too where these share. 1500 links have mark
 * meters.
 */
final class SyntheticDataCenter implements PathOracle, DecisionSink {
  static final int SWITCHES = 100;
  static final int PORTS_PER_SWITCH = 48;
  static final int MARKING_PORTS = SWITCHES * PORTS_PER_SWITCH / 20;

  private static final int EDGES = 80;
  private static final int HOSTS_PER_EDGE = 10;
  private static final int UPPERS = SWITCHES - EDGES;
  private static final int UPLINKS = 8;

  /** Every upper switch leads down to so many edges, the next one to those that begin 4 later. */
  private static final int DOWN = 24;

  private static final int FANOUT = EDGES / UPPERS;
  private static final int DESTINATIONS = 20;

  /** Of a pair in a period; a port that marks marks every second packet that comes unmarked. */
  private static final long PACKETS = 8;

  private static final long BYTES = PACKETS * 750;

  /** What a report covers: pairs send about 1 Mbit/s each. */
  private static final long REPORT_NANOS = 50_000_000L;

  /** How often a pair that comes and goes sends: it is idle for most of the time between. */
  private static final long ON_OFF_NANOS = 1_000_000_000L;

  final Engine engine;
  final int hosts = EDGES * HOSTS_PER_EDGE;
  final int endpoints;
  final int pairs;
  private final int endpointsPerHost;
  private final int tenants;
  final long periodNanos;
  long decisions;

  private final PortId[][] ports = allPorts();
  private final Random random = new Random(7);
  private final Map<IpAddress, Integer> hostOfAddress = new HashMap<>();
  private final Map<Integer, Path> paths = new HashMap<>();
  private final Map<PortId, Integer> pairsThrough = new HashMap<>();
  private final Set<PortId> marking = new HashSet<>();
  private final List<List<PairSample>> sent = new ArrayList<>();
  private final List<List<PairSample>> marked = new ArrayList<>();
  private final List<List<PairSample>> unmarked = new ArrayList<>();

  /** CE packets per period in transit from a port to a switch. */
  private final Map<String, Long> marksOnLinks = new HashMap<>();

  private final Map<PortId, PortId> links = new HashMap<>();
  private final Map<String, Map<Long, Long>> meters = new HashMap<>();
  private final Map<PortId, MeterSample> meterOf = new LinkedHashMap<>();
  private Map<HostId, List<Notice>> kept;
  private long nowNanos = 1;

  SyntheticDataCenter(EngineParameters parameters) {
    this(parameters, 5, 50);
  }

  /** One with so many endpoints on each of the 800 hosts, and so many tenants. */
  SyntheticDataCenter(EngineParameters parameters, int endpointsPerHost, int tenants) {
    this.endpointsPerHost = endpointsPerHost;
    this.tenants = tenants;
    endpoints = hosts * endpointsPerHost;
    pairs = endpoints * DESTINATIONS;
    periodNanos = parameters.controlPeriodNanos();
    engine = new Engine(this, PortAuthority.ALL, this, new Journal(), parameters);
    for (int h = 0; h < hosts; h++) {
      engine.putHost(host(h), 10_000_000_000L);
      sent.add(new ArrayList<>());
      marked.add(new ArrayList<>());
      unmarked.add(new ArrayList<>());
    }
    for (int e = 0; e < endpoints; e++) {
      hostOfAddress.put(ip(e), hostOf(e));
      putEndpoint(e, 0);
    }
    List<int[]> chosen = choosePairs();
    choosePorts();
    for (int[] pair : chosen) {
      addSamples(pair[0], pair[1]);
    }
  }

  private void putEndpoint(int e, long guaranteeBitsPerSecond) {
    engine.putEndpoint(
        EndpointProfile.of(endpoint(e), tenant(e), 1 + e % 4, guaranteeBitsPerSecond, 0, false),
        Set.of(ip(e)));
  }

  /** From now on keeps the notices of a tick by host, as a controller does that sends them. */
  SyntheticDataCenter keepingNotices() {
    kept = new HashMap<>();
    return this;
  }

  /** Gives every third endpoint a guarantee. */
  SyntheticDataCenter guaranteed(long bitsPerSecond) {
    for (int e = 0; e < endpoints; e += 3) {
      putEndpoint(e, bitsPerSecond);
    }
    return this;
  }

  /** Has the endpoints of every tenant share what it is due. */
  SyntheticDataCenter sharedByTenants(long guaranteeBitsPerSecond) {
    return sharedByTenants(guaranteeBitsPerSecond, 0);
  }

  /** The same, and each tenant has a ceiling. */
  SyntheticDataCenter sharedByTenants(long guaranteeBitsPerSecond, long ceilingBitsPerSecond) {
    for (int t = 0; t < tenants; t++) {
      try {
        engine.shareTenant(
            Tenant.builder(tenant(t))
                .weight(1 + t % 4)
                .guaranteeBitsPerSecond(guaranteeBitsPerSecond)
                .ceilingBitsPerSecond(ceilingBitsPerSecond)
                .build());
      } catch (SluiceException e) {
        throw new IllegalStateException(e);
      }
    }
    return this;
  }

  private TenantId tenant(int endpoint) {
    return TenantId.of("t" + endpoint % tenants);
  }

  private List<int[]> choosePairs() {
    List<int[]> result = new ArrayList<>();
    for (int e = 0; e < endpoints; e++) {
      Set<Integer> others = new LinkedHashSet<>();
      while (others.size() < DESTINATIONS) {
        int other = random.nextInt(endpoints);
        if (hostOf(other) != hostOf(e)) {
          others.add(other);
        }
      }
      for (int other : others) {
        result.add(new int[] {e, other});
        for (Path.Hop hop : pathBetween(hostOf(e), hostOf(other)).hops()) {
          pairsThrough.merge(hop.port(), 1, Integer::sum);
        }
      }
    }
    return result;
  }

  /** Of the ports that are used, some have too little capacity; all others have plenty. */
  private void choosePorts() {
    List<PortId> used = new ArrayList<>(pairsThrough.keySet());
    Collections.sort(used);
    Collections.shuffle(used, random);
    marking.addAll(used.subList(0, MARKING_PORTS));
    for (int s = 0; s < SWITCHES; s++) {
      for (int p = 0; p < PORTS_PER_SWITCH; p++) {
        PortId port = ports[s][p];
        long capacity =
            marking.contains(port) ? pairsThrough.get(port) * 800_000L : 40_000_000_000L;
        engine.putPort(port, capacity, CapacitySource.CONFIGURED);
      }
    }
  }

  private void addSamples(int from, int to) {
    sent.get(hostOf(from)).add(PairSample.of(ip(from), ip(to), PACKETS, BYTES, 0, 0, 0));
    List<Path.Hop> hops = pathBetween(hostOf(from), hostOf(to)).hops();
    long marks = 0;
    for (int h = 0; h < hops.size(); h++) {
      marks += marking.contains(hops.get(h).port()) ? (PACKETS - marks) / 2 : 0;
      if (marks > 0 && h + 1 < hops.size()) {
        String next = hops.get(h).port() + ">" + hops.get(h + 1).port().datapath();
        marksOnLinks.merge(next, marks, Long::sum);
      }
    }
    List<List<PairSample>> reported = marks > 0 ? marked : unmarked;
    reported.get(hostOf(to)).add(PairSample.of(ip(from), ip(to), 0, 0, PACKETS, BYTES, marks));
  }

  private Path pathBetween(int from, int to) {
    return paths.computeIfAbsent(
        from / HOSTS_PER_EDGE * hosts + to,
        key -> {
          int edge = from / HOSTS_PER_EDGE;
          int up = random.nextInt(UPLINKS);
          int upper = above(edge, up);
          int last = to / HOSTS_PER_EDGE;
          int top = upper;
          while (top == upper) {
            top = EDGES + Math.floorMod(last / FANOUT - random.nextInt(DOWN / FANOUT), UPPERS);
          }
          int across = Math.floorMod(top - upper - 1, UPPERS);
          return Path.of(
              List.of(
                  Path.Hop.of(ports[edge][40 + up]),
                  Path.Hop.of(ports[upper][across]),
                  Path.Hop.of(ports[top][DOWN + down(top, last)]),
                  Path.Hop.of(ports[last][to % HOSTS_PER_EDGE])),
              false);
        });
  }

  private static int above(int edge, int up) {
    return EDGES + (edge * UPLINKS + up) % UPPERS;
  }

  /** Which port down from an upper switch leads to an edge, one of {@link #DOWN}. */
  private static int down(int top, int edge) {
    return Math.floorMod(edge - FANOUT * (top - EDGES), EDGES);
  }

  private static int beside(int upper, int across) {
    return EDGES + (upper - EDGES + 1 + across) % UPPERS;
  }

  // ---------------------------------------------------------------- what switches count

  /** Wires up and meters all links. */
  SyntheticDataCenter metered() {
    for (int edge = 0; edge < EDGES; edge++) {
      for (int up = 0; up < UPLINKS; up++) {
        wire(ports[edge][40 + up], above(edge, up));
      }
    }
    for (int upper = EDGES; upper < SWITCHES; upper++) {
      for (int across = 0; across < UPPERS - 1; across++) {
        wire(ports[upper][across], beside(upper, across));
      }
      for (int down = 0; down < DOWN; down++) {
        wire(ports[upper][DOWN + down], (FANOUT * (upper - EDGES) + down) % EDGES);
      }
    }
    engine.setLinks(links);
    engine.setMarkMeters(meters);
    return this;
  }

  private void wire(PortId from, int to) {
    String datapath = ports[to][0].datapath();
    Map<Long, Long> own = meters.computeIfAbsent(datapath, none -> new HashMap<>());
    long number = 100L + own.size();
    own.put(number, number);
    links.put(from, PortId.of(datapath, number));
    long marks = marksOnLinks.getOrDefault(from + ">" + datapath, 0L);
    meterOf.put(from, MeterSample.of(datapath, number, marks, marks * 1500, periodNanos));
  }

  /** The mark meters of links that mark. */
  List<MeterSample> markedMeters() {
    List<MeterSample> result = new ArrayList<>();
    meterOf.forEach((port, sample) -> result.add(sample));
    result.removeIf(sample -> sample.packets() == 0);
    return result;
  }

  List<MeterSample> quietMeters() {
    List<MeterSample> result = new ArrayList<>(meterOf.values());
    result.removeIf(sample -> sample.packets() > 0);
    return result;
  }

  /** All ports; those that mark first. */
  List<PortSample> portSamples() {
    List<PortSample> first = new ArrayList<>();
    List<PortSample> others = new ArrayList<>();
    for (PortId[] ofSwitch : ports) {
      for (PortId port : ofSwitch) {
        PortSample sample =
            PortSample.builder(port)
                .txPackets(PACKETS * pairsThrough.getOrDefault(port, 0))
                .intervalNanos(periodNanos)
                .build();
        (marking.contains(port) ? first : others).add(sample);
      }
    }
    first.addAll(others);
    return first;
  }

  long nowNanos() {
    return nowNanos;
  }

  // ---------------------------------------------------------------- driving

  /** Observations of what every host sent. */
  List<HostObservation> allSent() {
    return observations(sent);
  }

  /** Observations of the pairs whose packets carry CE, by their receiving hosts. */
  List<HostObservation> allMarked() {
    return observations(marked);
  }

  /** Of these pairs every so many'th, from the given one on. */
  List<HostObservation> someMarked(int first, int every) {
    List<List<PairSample>> some = new ArrayList<>();
    for (List<PairSample> ofHost : marked) {
      List<PairSample> chosen = new ArrayList<>();
      for (int i = first; i < ofHost.size(); i += every) {
        chosen.add(ofHost.get(i));
      }
      some.add(chosen);
    }
    return observations(some);
  }

  /**
   * Observations of pairs beside the others that send once a second, by period. Each is active for
   * the activity window, then idle; none is so for long enough to be forgotten.
   *
   * @param perPeriod how many of them send in a period
   */
  List<List<HostObservation>> onOff(int perPeriod) {
    List<List<HostObservation>> result = new ArrayList<>();
    for (long at = 0; at < ON_OFF_NANOS; at += periodNanos) {
      List<HostObservation> ofPeriod = new ArrayList<>();
      for (int i = 0; i < perPeriod; i++) {
        int from = random.nextInt(endpoints);
        int to =
            Math.floorMod(from + endpointsPerHost * (1 + random.nextInt(hosts - 1)), endpoints);
        PairSample sample = PairSample.of(ip(from), ip(to), PACKETS, BYTES, 0, 0, 0);
        ofPeriod.add(observation(hostOf(from), List.of(sample)));
      }
      result.add(ofPeriod);
    }
    return result;
  }

  /** Observations of the other pairs, by their receiving hosts. */
  List<HostObservation> allUnmarked() {
    return observations(unmarked);
  }

  private List<HostObservation> observations(List<List<PairSample>> samples) {
    List<HostObservation> result = new ArrayList<>();
    for (int h = 0; h < hosts; h++) {
      result.add(observation(h, samples.get(h)));
    }
    return result;
  }

  /** Always "just arrived": the clock of a test may run faster than it builds these. */
  private static HostObservation observation(int h, List<PairSample> samples) {
    return HostObservation.of(host(h), Long.MAX_VALUE / 2, REPORT_NANOS, samples, List.of());
  }

  void tick() {
    if (kept != null) {
      kept.clear();
    }
    nowNanos += periodNanos;
    engine.tick(nowNanos, nowNanos / 1_000_000);
  }

  int markedPairs() {
    return marked.stream().mapToInt(List::size).sum();
  }

  boolean marks(PortId port) {
    return marking.contains(port);
  }

  /** Of the ports that mark, those behind which a meter counts. */
  int markingLinks() {
    return (int) marking.stream().filter(links::containsKey).count();
  }

  int distinctPaths() {
    return paths.size();
  }

  // ---------------------------------------------------------------- names

  private static HostId host(int h) {
    return HostId.of("h" + h);
  }

  private int hostOf(int endpoint) {
    return endpoint / endpointsPerHost;
  }

  private EndpointId endpoint(int e) {
    return EndpointId.of(host(hostOf(e)), "vm" + e % endpointsPerHost);
  }

  static IpAddress ip(int e) {
    return IpAddress.of(new byte[] {10, (byte) (e >> 16), (byte) (e >> 8), (byte) e});
  }

  private static PortId[][] allPorts() {
    PortId[][] result = new PortId[SWITCHES][PORTS_PER_SWITCH];
    for (int s = 0; s < SWITCHES; s++) {
      String datapath = String.format("of:%016x", s + 1);
      Arrays.setAll(result[s], p -> PortId.of(datapath, p + 1));
    }
    return result;
  }

  // ---------------------------------------------------------------- the engine's surroundings

  @Override
  public long epoch() {
    return 0;
  }

  @Override
  public Optional<Path> path(EndpointId source, IpAddress destination) {
    int from = Integer.parseInt(source.host().name().substring(1));
    return Optional.of(pathBetween(from, hostOfAddress.get(destination)));
  }

  @Override
  public void unitShare(HostId host, UnitShare share) {
    decisions++;
  }

  @Override
  public void ceiling(EndpointId endpoint, long bitsPerSecond) {
    decisions++;
  }

  @Override
  public void notice(HostId host, NoticeDraft notice) {
    decisions++;
    if (kept != null) {
      kept.computeIfAbsent(host, none -> new ArrayList<>()).add(notice.toNotice());
    }
  }
}
