// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.traffic;

import java.util.List;
import org.sluice.api.Tenant;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.engine.state.AddressTable;
import org.sluice.engine.state.EngineState;
import org.sluice.engine.state.PairTable;
import org.sluice.engine.state.PathTable;
import org.sluice.engine.statistics.EngineStatistics.Figure;
import org.sluice.engine.time.SmoothedRate;

/**
 * Takes in what hosts saw. A host's report counts only for its own endpoints: the source's host
 * about what was sent, the destination's about what arrived and carried CE.
 */
public final class ObservationIntake {
  /** A first sample of so many packets makes a rate; fewer may be all that there is to come. */
  private static final double RATE_PACKETS = 10;

  /** Half the least activity window, ns (the 100 ms of "2 max(T_i, 100 ms)"). */
  static final long MIN_ACTIVITY_NANOS = 100_000_000L;

  /** An observation that waited longer is stale, ns. */
  public static final long MAX_AGE_NANOS = 2 * MIN_ACTIVITY_NANOS;

  /**
   * Longest interval between two reports of a host whose endpoints send, ns. A longer one means
   * that nothing was sent for most of it.
   */
  static final long MAX_REPORT_INTERVAL_NANOS = 1_000_000_000L;

  /** More than so many times what the NIC can carry is absurd. */
  private static final int ABSURD_FACTOR = 4;

  /** Bursts of offloaded segments make short intervals look fast: none counts as shorter, ns. */
  private static final long MIN_JUDGED_INTERVAL_NANOS = 10_000_000L;

  /**
   * With a T_i up to this, ns, reports count as of the last tick, all that come in one T_i alike:
   * how the network delays them does not matter, and rates are right to 5 %. With a longer one each
   * counts as of its arrival: else it would not fade those before it, and all would have faded by
   * the next tick.
   */
  private static final long SHORT_PERIOD_NANOS = 10_000_000L;

  /** Pairs beyond a host's limit are journaled so often at most, ns. */
  private static final long REFUSAL_JOURNAL_NANOS = 60_000_000_000L;

  /** What may come at once, whatever the rate: four of the largest offloaded segments, bytes. */
  private static final long ALWAYS_PLAUSIBLE_BYTES = 4 * 65_536;

  private final EngineState state;
  private final PairLifecycle lifecycle;
  private final RefusalSink refusals;

  // Of the observation being taken in:
  private int host;
  private long now;
  private long controlPeriodNanos;
  private long intervalNanos;
  private long activeUntil;
  private long plausibleBytes;

  // What of the observation is of an earlier window, and of the next one ({@link Passed}):
  private double earlyPart;
  private double latePart;

  public ObservationIntake(EngineState state, PairLifecycle lifecycle, RefusalSink refusals) {
    this.state = state;
    this.lifecycle = lifecycle;
    this.refusals = refusals;
  }

  /**
   * Takes in an observation.
   *
   * @param engineNow engine time, ns
   * @param ageNanos for how long it had waited at the last tick; below 0: it has come since
   */
  public void take(HostObservation observation, long engineNow, long ageNanos, long periodNanos) {
    long interval = observation.intervalNanos();
    if (interval <= 0 || ageNanos > MAX_AGE_NANOS) {
      state.counters.increment(Figure.OBSERVATIONS_REFUSED);
      return;
    }
    state.counters.increment(Figure.OBSERVATIONS);
    controlPeriodNanos = periodNanos;
    now = engineNow + (periodNanos > SHORT_PERIOD_NANOS ? sinceTick(ageNanos) : 0);
    host = state.hosts.find(observation.host());
    intervalNanos = interval <= MAX_REPORT_INTERVAL_NANOS ? interval : MIN_ACTIVITY_NANOS;
    activeUntil = now + Math.max(activityWindow(controlPeriodNanos), 2 * intervalNanos);
    plausibleBytes = plausibleBytes(interval);
    earlyPart = state.passed.earlyPart(observation.receivedNanos(), interval);
    latePart = state.passed.latePart(observation.receivedNanos(), interval);
    if (host >= 0) {
      state.hosts.reportedUntil[host] = activeUntil;
    }
    List<PairSample> samples = observation.pairs();
    for (int i = 0; i < samples.size(); i++) {
      take(samples.get(i));
    }
  }

  private long sinceTick(long ageNanos) {
    return Math.max(0, Math.min(-ageNanos, controlPeriodNanos));
  }

  /** 2 max(T_i, 100 ms): for how long bytes make a pair active, ns. */
  static long activityWindow(long controlPeriodNanos) {
    return 2 * Math.max(controlPeriodNanos, MIN_ACTIVITY_NANOS);
  }

  private long plausibleBytes(long interval) {
    long nic = host < 0 ? 0 : state.hosts.nicBitsPerSecond[host];
    double bytesPerSecond = (nic > 0 ? nic : Tenant.MAX_RATE_BITS_PER_SECOND) / 8.0;
    double seconds = Math.max(interval, MIN_JUDGED_INTERVAL_NANOS) / 1e9;
    return (long) (ABSURD_FACTOR * bytesPerSecond * seconds) + ALWAYS_PLAUSIBLE_BYTES;
  }

  private void take(PairSample sample) {
    int source = state.addresses.find(sample.source());
    int sender = source < 0 ? AddressTable.NONE : state.addresses.holder[source];
    int destination = state.addresses.find(sample.destination());
    int receiver = destination < 0 ? AddressTable.NONE : state.addresses.holder[destination];
    if (sender == AddressTable.NONE || host < 0) {
      state.counters.increment(Figure.SAMPLES_FOREIGN);
      return;
    }
    boolean sends = state.endpoints.host[sender] == host;
    boolean receives = receiver != AddressTable.NONE && state.endpoints.host[receiver] == host;
    if (sends && receives) {
      countLocal(sender, sample);
      return;
    }
    if (!sends && !receives) {
      state.counters.increment(Figure.SAMPLES_FOREIGN);
      return;
    }
    int pair = destination < 0 ? -1 : state.pairs.find(source, destination);
    boolean hasWaited = pair >= 0 && sends && state.pairs.waits(pair) && !sample.waits();
    if (pair >= 0 && sends) {
      // Whatever it offers: a flood is counted before the shim refuses any of it.
      lifecycle.setWaits(pair, sample.waits(), now);
    }
    long packets = sends ? sample.sentPackets() : sample.receivedPackets();
    long bytes = sends ? sample.sentBytes() : sample.receivedBytes();
    long marks = sends ? 0 : sample.cePackets();
    if (isAbsurd(packets, bytes, marks)) {
      state.counters.increment(Figure.SAMPLES_ABSURD);
      return;
    }
    if (bytes == 0) {
      if (hasWaited) {
        endRate(pair);
      }
      return;
    }
    if (pair < 0) {
      if (!lifecycle.mayAdd(host, sender)) {
        refuse(sends ? sender : receiver);
        return;
      }
      pair = lifecycle.add(host, sender, sample.source(), sample.destination());
      if (sends) {
        lifecycle.setWaits(pair, sample.waits(), now);
      }
    }
    state.counters.increment(Figure.SAMPLES_USED);
    countBytes(pair, sends ? PairTable.SENDER : PairTable.RECEIVER, bytes, packets);
    countPassed(pair, receiver, sends, bytes);
    if (receives) {
      state.pairs.receivingHost[pair] = host;
      countMarks(pair, packets, marks);
    }
  }

  /**
   * Its class has been empty for a while, and nothing has come since the last report. A mean would
   * have it send for long what it has ceased to send, and nobody could borrow it.
   */
  private void endRate(int pair) {
    state.pairs.setSeenBitsPerSecond(pair, PairTable.SENDER, 0);
    state.pairs.setSeenBitsPerSecond(pair, PairTable.RECEIVER, 0);
    lifecycle.updateRate(pair, now, controlPeriodNanos);
  }

  private void refuse(int endpoint) {
    state.counters.increment(Figure.SAMPLES_OVERFLOW);
    state.hosts.refusedPairs[host]++;
    if (now >= state.hosts.refusalJournaledUntil[host]) {
      state.hosts.refusalJournaledUntil[host] = now + REFUSAL_JOURNAL_NANOS;
      refusals.pairsRefused(state.endpoints.id[endpoint], state.hosts.pairs[host]);
    }
  }

  /** It crosses no port, but its host holds it to the endpoint's part of the tenant's ceiling. */
  private void countLocal(int sender, PairSample sample) {
    state.counters.increment(Figure.SAMPLES_LOCAL);
    if (isAbsurd(sample.sentPackets(), sample.sentBytes(), 0)) {
      state.counters.increment(Figure.SAMPLES_ABSURD);
    } else {
      state.endpoints.localBytes[sender] += sample.sentBytes();
    }
  }

  private boolean isAbsurd(long packets, long bytes, long marks) {
    return packets < 0 || packets > bytes || bytes > plausibleBytes || marks < 0 || marks > packets;
  }

  private void countBytes(int pair, int end, long bytes, long packets) {
    PairTable pairs = state.pairs;
    long before = pairs.seenBitsPerSecond(pair, end);
    double after;
    if (before == 0) {
      double gain = 1 - SmoothedRate.remaining(intervalNanos);
      after = bytes * 8e9 / intervalNanos * Math.max(gain, Math.min(1, packets / RATE_PACKETS));
    } else {
      // Idle pairs are left out of reports: what was seen before fades over all of that time.
      // Reports that come in one batch do not fade each other.
      long sinceLast =
          Math.max(
              now - lifecycle.reportedAt(pair, end, controlPeriodNanos),
              intervalNanos - controlPeriodNanos);
      // A slow pair's packet is worth the gap before it.
      boolean isGap = sinceLast > intervalNanos && sinceLast <= PairLifecycle.SILENT_NANOS;
      long over = isGap ? sinceLast : intervalNanos;
      after =
          before * SmoothedRate.remaining(sinceLast)
              + bytes * 8e9 / over * (1 - SmoothedRate.remaining(over));
    }
    pairs.setSeenBitsPerSecond(pair, end, (long) after);
    pairs.setReportedUntil(pair, end, activeUntil);
    lifecycle.activate(pair, now);
    lifecycle.updateRate(pair, now, controlPeriodNanos);
  }

  /**
   * What a receiver's host reports has passed. A sender's is believed where no agent reports
   * arrivals, as far as the shim lets it out: it counts before its shim refuses anything.
   */
  private void countPassed(int pair, int receiver, boolean sends, long reported) {
    long bytes = reported;
    if (sends) {
      if (receiver != AddressTable.NONE
          && state.hosts.reportedUntil[state.endpoints.host[receiver]] >= now) {
        return;
      }
      long held = state.heldBitsPerSecond(state.pairs.endpoint[pair]);
      bytes = (long) Math.min(reported, held / 8e9 * intervalNanos);
      state.pairs.passedBySender[pair] += bytes;
    } else {
      bytes -= Math.min(bytes, state.pairs.passedBySender[pair]);
      state.pairs.passedBySender[pair] = 0;
    }
    long early = (long) (bytes * earlyPart);
    long late = (long) (bytes * latePart);
    int endpoint = state.pairs.endpoint[pair];
    state.passed.ofEndpoints.add(endpoint, bytes, early, late);
    state.passed.ofTenants.add(state.endpoints.tenant[endpoint], bytes, early, late);
    int path = state.pairs.path(pair);
    if (path != PathTable.UNKNOWN) {
      state.paths.addPassed(path, bytes, early, late);
    }
  }

  private void countMarks(int pair, long packets, long marks) {
    if (marks > 0) {
      // A wrong path would charge a wrong port: worth looking up right now.
      lifecycle.refreshPath(pair);
    }
    int path = state.pairs.path(pair);
    if (path == PathTable.UNKNOWN) {
      state.counters.add(Figure.MARKS_UNATTRIBUTED, marks);
      return;
    }
    state.paths.addPackets(path, packets);
    if (marks > 0) {
      state.paths.addMarks(path, marks);
    }
  }
}
