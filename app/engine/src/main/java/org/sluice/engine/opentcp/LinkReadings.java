// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.Arrays;
import org.sluice.engine.law.OpenTcpLaw;

/**
 * What links have carried and lost over the latest cycle, from counters that may wrap, start anew
 * or be missing. A link that cannot be read keeps its last values for {@link #STALE_CYCLES} and
 * then is unknown.
 */
public final class LinkReadings {
  /** A counter that the switch does not keep. */
  public static final long NOT_COUNTED = -1;

  /** Cycles without a reading after which a link's values are no longer used. */
  static final int STALE_CYCLES = 2;

  private final GroupTopology topology;
  private final boolean[] wasRead;
  private final long[] readNanos;
  private final long[] sentBytes;
  private final long[] sentPackets;
  private final long[] droppedPackets;

  /** Of the latest interval that could be used. */
  private final double[] utilisation;

  private final long[] sent;
  private final long[] dropped;
  private final int[] age;
  private long resets;

  /** All links are unknown until their second reading. */
  public LinkReadings(GroupTopology topology) {
    this.topology = topology;
    int links = topology.links();
    wasRead = new boolean[links];
    readNanos = new long[links];
    sentBytes = new long[links];
    sentPackets = new long[links];
    droppedPackets = new long[links];
    utilisation = new double[links];
    sent = new long[links];
    dropped = new long[links];
    age = new int[links];
    Arrays.fill(age, STALE_CYCLES);
  }

  /**
   * A link's counters, each since whenever.
   *
   * @param bytes that have left
   * @param packets that have left
   * @param drops packets that found no space; or {@link #NOT_COUNTED}
   * @param atNanos when they were read, by one clock for the link
   */
  public void read(int link, long bytes, long packets, long drops, long atNanos) {
    long nanos = atNanos - readNanos[link];
    if (wasRead[link] && nanos <= 0) {
      resets++;
    } else if (wasRead[link]) {
      difference(link, bytes, packets, drops, nanos);
    }
    wasRead[link] = true;
    readNanos[link] = atNanos;
    sentBytes[link] = bytes;
    sentPackets[link] = packets;
    droppedPackets[link] = drops;
  }

  private void difference(int link, long bytes, long packets, long drops, long nanos) {
    long capacity = topology.capacityBitsPerSecond(link);
    long mostBytes = OpenTcpLaw.mostBytes(capacity, nanos);
    long mostPackets = OpenTcpLaw.mostPackets(mostBytes);
    long newBytes = OpenTcpLaw.advance(sentBytes[link], bytes, mostBytes);
    long newPackets = OpenTcpLaw.advance(sentPackets[link], packets, mostPackets);
    boolean isCounted = drops != NOT_COUNTED && droppedPackets[link] != NOT_COUNTED;
    // Every other port may send to this one as fast as it can.
    long mostDrops = mostPackets * topology.links();
    long newDrops =
        isCounted ? OpenTcpLaw.advance(droppedPackets[link], drops, mostDrops) : NOT_COUNTED;
    if (newBytes == OpenTcpLaw.RESET
        || newPackets == OpenTcpLaw.RESET
        || isCounted && newDrops == OpenTcpLaw.RESET) {
      resets++;
      return;
    }
    utilisation[link] = OpenTcpLaw.utilisation(newBytes, nanos, capacity);
    sent[link] = newPackets;
    dropped[link] = newDrops;
    age[link] = -1;
  }

  /** A cycle is over: what was not read in it is older now. */
  void endCycle() {
    for (int link = 0; link < age.length; link++) {
      age[link] = Math.min(STALE_CYCLES, age[link] + 1);
    }
  }

  boolean isKnown(int link) {
    return age[link] < STALE_CYCLES;
  }

  double utilisation(int link) {
    return utilisation[link];
  }

  long sent(int link) {
    return sent[link];
  }

  /** Packets; {@link #NOT_COUNTED} if the switch does not. */
  long dropped(int link) {
    return dropped[link];
  }

  /** Readings that were no continuation of the one before. */
  public long resets() {
    return resets;
  }
}
