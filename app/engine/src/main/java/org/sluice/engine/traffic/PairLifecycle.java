// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.PathOracle;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.CrossingTable;
import org.sluice.engine.state.EndpointTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.state.PathTable;
import org.sluice.engine.state.PortTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.SmoothedRate;

/**
 * The life of pairs. A pair is active while bytes were seen within the activity window; then it
 * counts for weights and loads. It is remembered for {@link #REMEMBER_NANOS} more: hosts keep
 * treating its destination as one behind the congested port, so that its next burst meets a limit.
 */
public final class PairLifecycle {
  /** How long an idle pair stays remembered, ns. */
  static final long REMEMBER_NANOS = 1_000_000_000L;

  /** Every pair is evaluated for its age at least so often, ns. */
  private static final long SCAN_NANOS = 40_000_000L;

  private static final int MAX_SCAN_PARTS = 8;

  /** Unknown paths are looked up again every so many scans, should an epoch have been missed. */
  private static final int RETRY_SCANS = 32;

  /** Most look-ups in one tick of pairs known before. */
  private static final int LOOKUPS_PER_TICK = 2000;

  /**
   * A pair of which a host that reports has seen nothing for so long, ns, and for so many packets
   * at its rate, has paused: what it got before does not count any more.
   */
  static final long SILENT_NANOS = 20_000_000L;

  private static final double SILENT_BITS = 4 * 12_000.0;

  private final EngineState state;
  private final RateChanges changes = new RateChanges();
  private final PathOracle oracle;
  private final RefusalSink refusals;
  private long epoch;
  private int staleCursor;
  private int staleLeft;
  private int scanPart;
  private int scan;
  private int lookupsLeft = LOOKUPS_PER_TICK;
  private boolean followsPauses = true;

  public PairLifecycle(EngineState state, PathOracle oracle, RefusalSink refusals) {
    this.state = state;
    this.oracle = oracle;
    this.refusals = refusals;
    this.epoch = oracle.epoch();
  }

  /**
   * Whether a rate falls to 0 as soon as a pair has paused, as Sluice's law has it to know what
   * endpoints demand; else rates are means, of pauses too, as what SDN-GCC divides marks by. A
   * source that is silent until its retransmission timeout would otherwise be cut by nothing,
   * recover, and begin again with more than the others.
   */
  public void setFollowsPauses(boolean value) {
    followsPauses = value;
  }

  /**
   * Whether a host's report may begin another pair. Room is shared by dynamic thresholds (Choudhury
   * and Hahne, 1998): nobody may have more than what is still free, hosts of the whole table and a
   * host's senders of what the host may have. So n that take all they can get leave one n+1th of it
   * to the next one.
   */
  boolean mayAdd(int reporter, int endpoint) {
    int ofHost = state.hosts.pairs[reporter];
    int mostOfHost = Math.min(PairTable.MAX_PAIRS_PER_HOST, state.pairs.free());
    return ofHost < mostOfHost
        && (state.endpoints.host[endpoint] != reporter
            || state.endpoints.reportedPairs[endpoint] < PairTable.MAX_PAIRS_PER_HOST - ofHost);
  }

  /** Starts to remember a pair that a host's report began. */
  int add(int reporter, int endpoint, IpAddress source, IpAddress destination) {
    PairTable pairs = state.pairs;
    int pair =
        pairs.add(endpoint, state.addresses.retain(source), state.addresses.retain(destination));
    pairs.reporter[pair] = reporter;
    countReported(pair, 1);
    int head = state.endpoints.firstPair[endpoint];
    pairs.nextOfEndpoint[pair] = head;
    pairs.previousOfEndpoint[pair] = -1;
    if (head >= 0) {
      pairs.previousOfEndpoint[head] = pair;
    }
    state.endpoints.firstPair[endpoint] = pair;
    state.counters.increment(Figure.REMEMBERED_PAIRS);
    state.counters.increment(Figure.UNKNOWN_PATH_PAIRS);
    findPath(pair);
    return pair;
  }

  private void countReported(int pair, int change) {
    int reporter = state.pairs.reporter[pair];
    int endpoint = state.pairs.endpoint[pair];
    state.hosts.pairs[reporter] += change;
    if (state.endpoints.host[endpoint] == reporter) {
      state.endpoints.reportedPairs[endpoint] += change;
    }
  }

  private void remove(int pair) {
    PairTable pairs = state.pairs;
    countReported(pair, -1);
    deactivate(pair);
    leavePath(pair);
    state.counters.add(Figure.UNKNOWN_PATH_PAIRS, -1);
    state.counters.add(Figure.REMEMBERED_PAIRS, -1);
    int previous = pairs.previousOfEndpoint[pair];
    int next = pairs.nextOfEndpoint[pair];
    if (previous >= 0) {
      pairs.nextOfEndpoint[previous] = next;
    } else {
      state.endpoints.firstPair[pairs.endpoint[pair]] = next;
    }
    if (next >= 0) {
      pairs.previousOfEndpoint[next] = previous;
    }
    state.addresses.release(pairs.sourceAddress[pair]);
    state.addresses.release(pairs.destinationAddress[pair]);
    pairs.remove(pair);
  }

  void removeAllOf(int endpoint) {
    while (state.endpoints.firstPair[endpoint] >= 0) {
      remove(state.endpoints.firstPair[endpoint]);
    }
  }

  /** Takes an endpoint's active pairs out of all sums while its profile changes. */
  void reweigh(int endpoint, Runnable change) {
    PairTable pairs = state.pairs;
    int first = state.endpoints.firstPair[endpoint];
    for (int pair = first; pair >= 0; pair = pairs.nextOfEndpoint[pair]) {
      if (pairs.isActive(pair)) {
        countOut(pair);
      }
    }
    change.run();
    for (int pair = first; pair >= 0; pair = pairs.nextOfEndpoint[pair]) {
      if (pairs.isActive(pair)) {
        countIn(pair);
      }
    }
  }

  /** What a sender's host says of a pair: whether it waits for its limit. */
  void setWaits(int pair, boolean waits, long now) {
    if (waits && !state.pairs.isGreedy(pair, now)) {
      int endpoint = state.pairs.endpoint[pair];
      state.endpoints.hasBegunToWait[endpoint] = true;
      state.tenants.hasBegunToWait[state.endpoints.tenant[endpoint]] = true;
    }
    state.pairs.setWaits(pair, waits, now);
    if (waits && !state.pairs.wantsFloor[pair]) {
      setWantsFloor(pair, true);
    }
  }

  private void setWantsFloor(int pair, boolean wantsFloor) {
    boolean isActive = state.pairs.isActive(pair);
    if (isActive && !wantsFloor) {
      countWanting(pair, -1);
    }
    state.pairs.wantsFloor[pair] = wantsFloor;
    if (isActive && wantsFloor) {
      countWanting(pair, 1);
    }
  }

  private void countWanting(int pair, int sign) {
    PairTable pairs = state.pairs;
    if (!pairs.wantsFloor[pair]) {
      return;
    }
    int endpoint = pairs.endpoint[pair];
    int tenant = state.endpoints.tenant[endpoint];
    int before = state.endpoints.wantingPairs[endpoint];
    state.endpoints.wantingPairs[endpoint] += sign;
    if (before == 0 || before + sign == 0) {
      state.tenants.wantingWeightMicros[tenant] += sign * state.endpoints.weightMicros[endpoint];
    }
    state.addresses.wantingSenders[pairs.destinationAddress[pair]] += sign;
    if (pairs.receivingTenant[pair] >= 0) {
      state.tenants.wantingSenders[pairs.receivingTenant[pair]] += sign;
    }
  }

  /** One that has its weight's part everywhere, and does not take it, wants no floor. */
  private boolean hasEnough(int pair) {
    CrossingTable crossings = state.crossings;
    for (int e = state.pairs.firstEntry[pair]; e >= 0; e = crossings.nextOfPair[e]) {
      int c = crossings.entryCrossing[e];
      if (crossings.needsFloor[c]) {
        return false;
      }
    }
    return true;
  }

  void activate(int pair, long now) {
    if (!state.pairs.isActive(pair)) {
      state.pairs.activate(pair, now);
      state.counters.increment(Figure.ACTIVE_PAIRS);
      countIn(pair);
    }
  }

  private void deactivate(int pair) {
    if (state.pairs.isActive(pair)) {
      setRate(pair, 0);
      countOut(pair);
      state.counters.add(Figure.ACTIVE_PAIRS, -1);
      state.pairs.deactivate(pair);
    }
  }

  private void countIn(int pair) {
    PairTable pairs = state.pairs;
    EndpointTable endpoints = state.endpoints;
    int endpoint = pairs.endpoint[pair];
    state.addresses.activeSenders[pairs.destinationAddress[pair]]++;
    countTenants(pair, endpoints.tenant[endpoint]);
    countWanting(pair, 1);
    endpoints.deliveredBitsPerSecond[endpoint] += pairs.rateBitsPerSecond(pair);
    if (endpoints.activePairs[endpoint]++ == 0) {
      state.hosts.activeWeightMicros[endpoints.host[endpoint]] += endpoints.weightMicros[endpoint];
    }
    for (int e = pairs.firstEntry[pair]; e >= 0; e = state.crossings.nextOfPair[e]) {
      activateEntry(e);
    }
  }

  private void countOut(int pair) {
    PairTable pairs = state.pairs;
    EndpointTable endpoints = state.endpoints;
    int endpoint = pairs.endpoint[pair];
    countWanting(pair, -1);
    state.addresses.activeSenders[pairs.destinationAddress[pair]]--;
    state.tenants.activePairs[endpoints.tenant[endpoint]]--;
    state.tenants.deliveredBitsPerSecond[endpoints.tenant[endpoint]] -=
        pairs.rateBitsPerSecond(pair);
    endpoints.deliveredBitsPerSecond[endpoint] -= pairs.rateBitsPerSecond(pair);
    if (pairs.receivingTenant[pair] >= 0) {
      state.tenants.activeSenders[pairs.receivingTenant[pair]]--;
    }
    if (--endpoints.activePairs[endpoint] == 0) {
      state.hosts.activeWeightMicros[endpoints.host[endpoint]] -= endpoints.weightMicros[endpoint];
    }
    for (int e = pairs.firstEntry[pair]; e >= 0; e = state.crossings.nextOfPair[e]) {
      deactivateEntry(e);
    }
  }

  /** The address may have another holder by the time that the pair is counted out. */
  private void countTenants(int pair, int sender) {
    state.tenants.activePairs[sender]++;
    state.tenants.deliveredBitsPerSecond[sender] += state.pairs.rateBitsPerSecond(pair);
    int holder = state.addresses.holder[state.pairs.destinationAddress[pair]];
    int receiver = holder == AddressTable.NONE ? -1 : state.endpoints.tenant[holder];
    state.pairs.receivingTenant[pair] = receiver;
    if (receiver >= 0) {
      state.tenants.activeSenders[receiver]++;
    }
  }

  private void activateEntry(int entry) {
    int crossing = state.crossings.entryCrossing[entry];
    state.ports.pairsVersion[state.crossings.port[crossing]]++;
    if (state.crossings.activePairs[crossing]++ == 0) {
      countEndpoint(crossing, 1);
    }
  }

  private void deactivateEntry(int entry) {
    int crossing = state.crossings.entryCrossing[entry];
    state.ports.pairsVersion[state.crossings.port[crossing]]++;
    if (--state.crossings.activePairs[crossing] == 0) {
      countEndpoint(crossing, -1);
    }
  }

  private void countEndpoint(int crossing, int sign) {
    int endpoint = state.crossings.endpoint[crossing];
    int port = state.crossings.port[crossing];
    PortTable ports = state.ports;
    ports.activeWeightMicros[port] += sign * state.endpoints.weightMicros[endpoint];
    ports.activeEndpoints[port] += sign;
    if (state.endpoints.guaranteeBitsPerSecond[endpoint] > 0) {
      ports.guaranteedEndpoints[port] += sign;
    }
    ports.activityVersion[port]++;
  }

  /** Engine time when an end's host last saw traffic, ns; for hosts that report slowly, later. */
  long reportedAt(int pair, int end, long controlPeriodNanos) {
    return state.pairs.reportedUntil(pair, end)
        - ObservationIntake.activityWindow(controlPeriodNanos);
  }

  /** Brings the loads of the pair's ports up to what its hosts last saw. */
  void updateRate(int pair, long now, long controlPeriodNanos) {
    if (state.pairs.isActive(pair)) {
      setRate(pair, passedBitsPerSecond(pair, now, controlPeriodNanos));
    }
  }

  /**
   * What a pair gets through, bit/s: what arrives where the receiver's host reports, else what the
   * VM offers, as far as the shim lets it out in any case. The sender's host counts before its shim
   * refuses anything.
   */
  long passedBitsPerSecond(int pair, long now, long controlPeriodNanos) {
    if (state.pairs.seenBitsPerSecond(pair, PairTable.RECEIVER) > 0) {
      int receiver = state.pairs.receivingHost[pair];
      return seen(pair, PairTable.RECEIVER, receiver, now, controlPeriodNanos);
    }
    int endpoint = state.pairs.endpoint[pair];
    int sender = state.endpoints.host[endpoint];
    return Math.min(
        seen(pair, PairTable.SENDER, sender, now, controlPeriodNanos),
        state.heldBitsPerSecond(endpoint));
  }

  /**
   * A host that has reported since, and left the pair out, has seen nothing of it. For a while that
   * is no more than the gap between two packets of a slow pair: did its rate fade at once, all
   * shares would move with every gap.
   */
  private long seen(int pair, int end, int host, long now, long controlPeriodNanos) {
    long seen = state.pairs.seenBitsPerSecond(pair, end);
    if (seen == 0) {
      return 0;
    }
    long until = state.pairs.reportedUntil(pair, end);
    long silent =
        host < 0 || !followsPauses ? 0 : Math.max(0, state.hosts.reportedUntil[host] - until);
    long left = seen;
    if (silent > SILENT_NANOS) {
      boolean hasPaused = silent / 1e9 * seen >= SILENT_BITS;
      left = hasPaused ? 0 : (long) (seen * SmoothedRate.remaining(silent - SILENT_NANOS));
    }
    return SmoothedRate.held(left, now - reportedAt(pair, end, controlPeriodNanos) - silent);
  }

  private void setRate(int pair, long bitsPerSecond) {
    PairTable pairs = state.pairs;
    long before = pairs.rateBitsPerSecond(pair);
    if (before == bitsPerSecond) {
      return;
    }
    int path = pairs.path(pair);
    if (path != PathTable.UNKNOWN) {
      state.paths.changeLoad(path, before, bitsPerSecond);
    }
    pairs.setRateBitsPerSecond(pair, bitsPerSecond);
    int endpoint = pairs.endpoint[pair];
    state.endpoints.deliveredBitsPerSecond[endpoint] += bitsPerSecond - before;
    int tenant = state.endpoints.tenant[endpoint];
    state.tenants.deliveredBitsPerSecond[tenant] += bitsPerSecond - before;
  }

  // ---------------------------------------------------------------- paths

  /** Looks the path up again if the topology has changed since, within the look-ups of a tick. */
  void refreshPath(int pair) {
    if (state.pairs.pathEpoch(pair) != epoch && lookupsLeft > 0) {
      lookupsLeft--;
      findPath(pair);
    }
  }

  /** An endpoint may be attached elsewhere: the paths of its pairs are looked up again, alike. */
  void refreshPathsOf(int endpoint) {
    PairTable pairs = state.pairs;
    for (int pair = state.endpoints.firstPair[endpoint];
        pair >= 0;
        pair = pairs.nextOfEndpoint[pair]) {
      pairs.setPathEpoch(pair, epoch - 1);
      refreshPath(pair);
      if (pairs.pathEpoch(pair) != epoch) {
        staleLeft = pairs.limit();
      }
    }
  }

  private void findPath(int pair) {
    PairTable pairs = state.pairs;
    pairs.setPathEpoch(pair, epoch);
    Optional<Path> answer =
        oracle.path(
            state.endpoints.id[pairs.endpoint[pair]],
            state.addresses.ip[pairs.destinationAddress[pair]]);
    if (answer.isEmpty()) {
      leavePath(pair);
      refusals.pathUnknown(
          state.endpoints.id[pairs.endpoint[pair]],
          state.addresses.ip[pairs.destinationAddress[pair]]);
      return;
    }
    int path = state.paths.retain(answer.get());
    if (path == pairs.path(pair)) {
      state.paths.release(path);
      return;
    }
    leavePath(pair);
    takePath(pair, path);
  }

  private void takePath(int pair, int path) {
    PairTable pairs = state.pairs;
    pairs.setPath(pair, path);
    state.counters.add(Figure.UNKNOWN_PATH_PAIRS, -1);
    int first = state.paths.firstHop(path);
    for (int hop = first + state.paths.hopCount(path) - 1; hop >= first; hop--) {
      pairs.firstEntry[pair] =
          state.crossings.addEntry(
              pairs.endpoint[pair],
              state.paths.portAt(hop),
              pair,
              state.paths.fraction16At(hop),
              pairs.firstEntry[pair]);
      if (pairs.isActive(pair)) {
        activateEntry(pairs.firstEntry[pair]);
      }
    }
    state.paths.changeLoad(path, 0, pairs.rateBitsPerSecond(pair));
  }

  private void leavePath(int pair) {
    PairTable pairs = state.pairs;
    int path = pairs.path(pair);
    if (path == PathTable.UNKNOWN) {
      return;
    }
    state.paths.changeLoad(path, pairs.rateBitsPerSecond(pair), 0);
    for (int entry = pairs.firstEntry[pair]; entry >= 0; ) {
      int next = state.crossings.nextOfPair[entry];
      if (pairs.isActive(pair)) {
        deactivateEntry(entry);
      }
      state.crossings.removeEntry(entry);
      entry = next;
    }
    pairs.firstEntry[pair] = -1;
    pairs.setPath(pair, PathTable.UNKNOWN);
    state.paths.release(path);
    state.counters.increment(Figure.UNKNOWN_PATH_PAIRS);
  }

  // ---------------------------------------------------------------- age

  /** Lets pairs age and follow the topology; evaluates a part of them each time. */
  public void tick(long now, long controlPeriodNanos) {
    lookupsLeft = LOOKUPS_PER_TICK;
    followTopology();
    int parts = (int) Math.max(1, Math.min(MAX_SCAN_PARTS, SCAN_NANOS / controlPeriodNanos));
    if (scanPart >= parts) {
      scanPart = 0;
      scan++;
    }
    long limit = state.pairs.limit();
    int from = (int) (limit * scanPart / parts);
    int to = (int) (limit * (scanPart + 1) / parts);
    scanPart++;
    boolean retry = scan % RETRY_SCANS == 0;
    for (int pair = from; pair < to; pair++) {
      if (state.pairs.endpoint[pair] >= 0) {
        age(pair, now, controlPeriodNanos, retry);
      }
      if (changes.isFull()) {
        applyChanges();
      }
    }
    applyChanges();
  }

  private void applyChanges() {
    for (int i = 0; i < changes.size(); i++) {
      setRate(changes.pair(i), changes.rate(i));
    }
    changes.clear();
  }

  private void followTopology() {
    long current = oracle.epoch();
    if (current != epoch) {
      epoch = current;
      staleLeft = state.pairs.limit();
    }
    // Goes on where it stopped: a topology that changes all the time must not starve the last rows.
    for (; staleLeft > 0 && lookupsLeft > 0; staleLeft--) {
      staleCursor = staleCursor + 1 < state.pairs.limit() ? staleCursor + 1 : 0;
      if (state.pairs.endpoint[staleCursor] >= 0) {
        refreshPath(staleCursor);
      }
    }
  }

  private void age(int pair, long now, long controlPeriodNanos, boolean retry) {
    PairTable pairs = state.pairs;
    long until =
        Math.max(
            pairs.reportedUntil(pair, PairTable.SENDER),
            pairs.reportedUntil(pair, PairTable.RECEIVER));
    if (until + REMEMBER_NANOS < now) {
      remove(pair);
      return;
    }
    if (pairs.isActive(pair)) {
      if (until < now) {
        pairs.setSeenBitsPerSecond(pair, PairTable.SENDER, 0);
        pairs.setSeenBitsPerSecond(pair, PairTable.RECEIVER, 0);
        deactivate(pair);
      } else {
        long rate = passedBitsPerSecond(pair, now, controlPeriodNanos);
        changes.add(pair, rate, rate != pairs.rateBitsPerSecond(pair));
        if (pairs.wantsFloor[pair] && !pairs.isGreedy(pair, now) && hasEnough(pair)) {
          setWantsFloor(pair, false);
        }
      }
    }
    if (retry && pairs.path(pair) == PathTable.UNKNOWN && lookupsLeft > 0) {
      lookupsLeft--;
      findPath(pair);
    }
  }
}
