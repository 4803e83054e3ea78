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
 * Takes in what hosts saw. A host is believed only about its own endpoints: the source's host about
 * what was sent, the destination's about what arrived and carried CE.
 */
public final class ObservationIntake {
  /** A first sample of so many packets tells a rate; fewer may be all that there is to come. */
  private static final double TELLING_PACKETS = 10;

  /** Half the least activity window, ns (the 100 ms of "2 max(T_i, 100 ms)"). */
  static final long MIN_ACTIVITY_NANOS = 100_000_000L;

  /** An observation that waited longer tells of a network that is no more, ns. */
  public static final long MAX_AGE_NANOS = 2 * MIN_ACTIVITY_NANOS;

  /**
   * Longest interval between two reports of a host whose endpoints send, ns. A longer one says that
   * nothing was sent for most of it.
   */
  static final long MAX_REPORT_INTERVAL_NANOS = 1_000_000_000L;

  /** More than so many times what the NIC can carry is absurd. */
  private static final int ABSURD_FACTOR = 4;

  /** Bursts of offloaded segments make short intervals look fast: none counts as shorter, ns. */
  private static final long MIN_JUDGED_INTERVAL_NANOS = 10_000_000L;

  /** What may come at once, whatever the rate: four of the largest offloaded segments, bytes. */
  private static final long ALWAYS_PLAUSIBLE_BYTES = 4 * 65_536;

  private final EngineState world;
  private final PairLifecycle traffic;

  // Of the observation being taken in:
  private int host;
  private long now;
  private long controlPeriodNanos;
  private long intervalNanos;
  private long activeUntil;
  private long plausibleBytes;

  public ObservationIntake(EngineState world, PairLifecycle traffic) {
    this.world = world;
    this.traffic = traffic;
  }

  /**
   * Takes in an observation.
   *
   * @param engineNow engine time, ns
   * @param ageNanos for how long it has waited
   */
  public void take(HostObservation observation, long engineNow, long ageNanos, long periodNanos) {
    long interval = observation.intervalNanos();
    if (interval <= 0 || ageNanos > MAX_AGE_NANOS) {
      world.counters.increment(Figure.OBSERVATIONS_REFUSED);
      return;
    }
    world.counters.increment(Figure.OBSERVATIONS);
    now = engineNow;
    controlPeriodNanos = periodNanos;
    host = world.hosts.find(observation.host());
    intervalNanos = interval <= MAX_REPORT_INTERVAL_NANOS ? interval : MIN_ACTIVITY_NANOS;
    activeUntil = now + Math.max(activityWindow(controlPeriodNanos), 2 * intervalNanos);
    plausibleBytes = plausibleBytes(interval);
    if (host >= 0) {
      world.hosts.heardUntil[host] = activeUntil;
    }
    List<PairSample> samples = observation.pairs();
    for (int i = 0; i < samples.size(); i++) {
      take(samples.get(i));
    }
  }

  /** 2 max(T_i, 100 ms): for how long bytes make a pair active, ns. */
  static long activityWindow(long controlPeriodNanos) {
    return 2 * Math.max(controlPeriodNanos, MIN_ACTIVITY_NANOS);
  }

  private long plausibleBytes(long interval) {
    long nic = host < 0 ? 0 : world.hosts.nicBitsPerSecond[host];
    double bytesPerSecond = (nic > 0 ? nic : Tenant.MAX_RATE_BITS_PER_SECOND) / 8.0;
    double seconds = Math.max(interval, MIN_JUDGED_INTERVAL_NANOS) / 1e9;
    return (long) (ABSURD_FACTOR * bytesPerSecond * seconds) + ALWAYS_PLAUSIBLE_BYTES;
  }

  private void take(PairSample sample) {
    int source = world.addresses.find(sample.source());
    int sender = source < 0 ? AddressTable.NOBODY : world.addresses.holder[source];
    int destination = world.addresses.find(sample.destination());
    int receiver = destination < 0 ? AddressTable.NOBODY : world.addresses.holder[destination];
    if (sender == AddressTable.NOBODY || host < 0) {
      world.counters.increment(Figure.SAMPLES_FOREIGN);
      return;
    }
    boolean sends = world.endpoints.host[sender] == host;
    boolean receives = receiver != AddressTable.NOBODY && world.endpoints.host[receiver] == host;
    if (sends == receives) {
      world.counters.increment(sends ? Figure.SAMPLES_LOCAL : Figure.SAMPLES_FOREIGN);
      return;
    }
    long packets = sends ? sample.sentPackets() : sample.receivedPackets();
    long bytes = sends ? sample.sentBytes() : sample.receivedBytes();
    long marks = sends ? 0 : sample.cePackets();
    if (isAbsurd(packets, bytes, marks)) {
      world.counters.increment(Figure.SAMPLES_ABSURD);
      return;
    }
    if (bytes == 0) {
      return;
    }
    int pair = destination < 0 ? -1 : world.pairs.find(source, destination);
    if (pair < 0) {
      if (world.pairs.isFull()) {
        world.counters.increment(Figure.SAMPLES_OVERFLOW);
        return;
      }
      pair = traffic.add(sender, sample.source(), sample.destination());
    }
    world.counters.increment(Figure.SAMPLES_USED);
    countBytes(pair, sends ? PairTable.SENDER : PairTable.RECEIVER, bytes, packets);
    if (receives) {
      countMarks(pair, packets, marks);
    }
  }

  private boolean isAbsurd(long packets, long bytes, long marks) {
    return packets < 0 || packets > bytes || bytes > plausibleBytes || marks < 0 || marks > packets;
  }

  private void countBytes(int pair, int end, long bytes, long packets) {
    PairTable pairs = world.pairs;
    long before = pairs.seenBitsPerSecond(pair, end);
    double seen = bytes * 8e9 / intervalNanos;
    double gain = 1 - SmoothedRate.remaining(intervalNanos);
    double after;
    if (before == 0) {
      after = seen * Math.max(gain, Math.min(1, packets / TELLING_PACKETS));
    } else {
      // Silent pairs are left out of reports: what was seen before fades over the whole silence.
      // Reports that come in one batch do not fade each other.
      long sinceLast =
          Math.max(
              now - traffic.heardAt(pair, end, controlPeriodNanos),
              intervalNanos - controlPeriodNanos);
      after = before * SmoothedRate.remaining(sinceLast) + seen * gain;
    }
    pairs.setSeenBitsPerSecond(pair, end, (long) after);
    pairs.setHeardUntil(pair, end, activeUntil);
    traffic.activate(pair, now);
    traffic.updateRate(pair, now, controlPeriodNanos);
  }

  private void countMarks(int pair, long packets, long marks) {
    if (marks > 0) {
      // A wrong path would blame a wrong port: worth a question right now.
      traffic.refreshPath(pair);
    }
    int path = world.pairs.path(pair);
    if (path == PathTable.UNKNOWN) {
      world.counters.add(Figure.MARKS_UNATTRIBUTED, marks);
      return;
    }
    world.paths.addPackets(path, packets);
    if (marks > 0) {
      world.paths.addMarks(path, marks);
    }
  }
}
