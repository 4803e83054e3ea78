// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.state;

import java.util.Arrays;
import org.sluice.engine.collections.LongIntMap;
import org.sluice.engine.collections.Slots;
import org.sluice.engine.law.Demand;

/** (source address, destination address) pairs by row number, and what each sends. */
public final class PairTable {
  /** Most pairs remembered at once; a VM that scans the network must not fill the heap. */
  public static final int MAX_PAIRS = 1 << 20;

  /** Most of them that one host's reports begin: twice what an agent's own table holds. */
  public static final int MAX_PAIRS_PER_HOST = 1 << 14;

  /** The end that sends: its host reports what left. */
  public static final int SENDER = 0;

  /** The end that receives: its host reports what arrived. */
  public static final int RECEIVER = 1;

  private static final int FIRST = 1024;

  /** What every sample touches lies together, in one cache line per pair. */
  private static final int STRIDE = 8;

  private static final int SEEN = 0;
  private static final int UNTIL = 2;
  private static final int RATE = 4;
  private static final int PATH = 5;
  private static final int EPOCH = 6;
  private static final int ACTIVE_SINCE = 7;

  private static final long INACTIVE = Long.MIN_VALUE;
  private static final long NEVER = Long.MIN_VALUE / 2;

  private final LongIntMap rows = new LongIntMap();
  private final Slots slots = new Slots();
  private long[] hot = new long[FIRST * STRIDE];

  /** Row of the endpoint that sends; -1 in a free row. */
  public int[] endpoint = new int[FIRST];

  public int[] sourceAddress = new int[FIRST];
  public int[] destinationAddress = new int[FIRST];

  /** The tenant that the pair is counted for as a receiver while it is active, or -1. */
  public int[] receivingTenant = new int[FIRST];

  /** Row of the host that reports what arrives of it, or -1. */
  public int[] receivingHost = new int[FIRST];

  /** When it was last seen to wait for its limit, ns; {@link Long#MAX_VALUE}: it does now. */
  private long[] waitedAt = new long[FIRST];

  /** Whether it wants more than its weight gives it, so that it has a part in guarantees. */
  public boolean[] wantsFloor = new boolean[FIRST];

  /** Bytes that counted as passed by the sender's word, before its receiver's host reported. */
  public long[] passedBySender = new long[FIRST];

  /** Row of the host whose report began it, or -1. */
  public int[] reporter = new int[FIRST];

  /** Head of the list of its entries in {@link CrossingTable}, or -1. */
  public int[] firstEntry = new int[FIRST];

  /** Neighbours in the list of the endpoint's pairs, or -1. */
  public int[] nextOfEndpoint = new int[FIRST];

  public int[] previousOfEndpoint = new int[FIRST];

  public PairTable() {
    Arrays.fill(endpoint, -1);
  }

  public int find(int source, int destination) {
    return rows.get(key(source, destination));
  }

  /** How many more may be remembered. */
  public int free() {
    return MAX_PAIRS - slots.used();
  }

  public int size() {
    return slots.used();
  }

  /** All rows are below; some may be free. */
  public int limit() {
    return slots.limit();
  }

  public int add(int endpointRow, int source, int destination) {
    int row = slots.take();
    if (row == endpoint.length) {
      grow();
    }
    endpoint[row] = endpointRow;
    sourceAddress[row] = source;
    destinationAddress[row] = destination;
    receivingHost[row] = -1;
    reporter[row] = -1;
    waitedAt[row] = NEVER;
    wantsFloor[row] = false;
    passedBySender[row] = 0;
    firstEntry[row] = -1;
    Arrays.fill(hot, row * STRIDE, (row + 1) * STRIDE, 0);
    setPath(row, PathTable.UNKNOWN);
    deactivate(row);
    setReportedUntil(row, SENDER, Long.MIN_VALUE);
    setReportedUntil(row, RECEIVER, Long.MIN_VALUE);
    rows.put(key(source, destination), row);
    return row;
  }

  public void remove(int row) {
    rows.remove(key(sourceAddress[row], destinationAddress[row]));
    endpoint[row] = -1;
    slots.giveBack(row);
  }

  /** What an end's host saw, bit/s, smoothed. */
  public long seenBitsPerSecond(int row, int end) {
    return hot[row * STRIDE + SEEN + end];
  }

  public void setSeenBitsPerSecond(int row, int end, long value) {
    hot[row * STRIDE + SEEN + end] = value;
  }

  /** Engine time until which the last traffic that an end's host saw keeps the pair active, ns. */
  public long reportedUntil(int row, int end) {
    return hot[row * STRIDE + UNTIL + end];
  }

  public void setReportedUntil(int row, int end, long value) {
    hot[row * STRIDE + UNTIL + end] = value;
  }

  /** What is now added to the loads of its path's ports, bit/s. */
  public long rateBitsPerSecond(int row) {
    return hot[row * STRIDE + RATE];
  }

  public void setRateBitsPerSecond(int row, long value) {
    hot[row * STRIDE + RATE] = value;
  }

  /** Row in {@link PathTable}, or {@link PathTable#UNKNOWN}. */
  public int path(int row) {
    return (int) hot[row * STRIDE + PATH];
  }

  public void setPath(int row, int value) {
    hot[row * STRIDE + PATH] = value;
  }

  /** The oracle's epoch when the path was looked up. */
  public long pathEpoch(int row) {
    return hot[row * STRIDE + EPOCH];
  }

  public void setPathEpoch(int row, long value) {
    hot[row * STRIDE + EPOCH] = value;
  }

  public boolean isActive(int row) {
    return activeSince(row) != INACTIVE;
  }

  /** Engine time of the first bytes since it was last idle, ns; only for active pairs. */
  public long activeSince(int row) {
    return hot[row * STRIDE + ACTIVE_SINCE];
  }

  public void activate(int row, long now) {
    hot[row * STRIDE + ACTIVE_SINCE] = now;
  }

  public void deactivate(int row) {
    hot[row * STRIDE + ACTIVE_SINCE] = INACTIVE;
  }

  /** Whether its source would send more than it may, as its host says. */
  public boolean waits(int row) {
    return waitedAt[row] == Long.MAX_VALUE;
  }

  /** Takes what a source's host says. */
  public void setWaits(int row, boolean value, long now) {
    if (value || waits(row)) {
      waitedAt[row] = value ? Long.MAX_VALUE : now;
    }
  }

  /** Whether it demands all that it may have ({@link Demand}). */
  public boolean isGreedy(int row, long now) {
    return waits(row) || now - waitedAt[row] < Demand.PATIENCE_NANOS;
  }

  private static long key(int source, int destination) {
    return ((long) source << 32) | destination;
  }

  private void grow() {
    int old = endpoint.length;
    int size = 2 * old;
    hot = Arrays.copyOf(hot, size * STRIDE);
    endpoint = Arrays.copyOf(endpoint, size);
    Arrays.fill(endpoint, old, size, -1);
    sourceAddress = Arrays.copyOf(sourceAddress, size);
    destinationAddress = Arrays.copyOf(destinationAddress, size);
    receivingTenant = Arrays.copyOf(receivingTenant, size);
    receivingHost = Arrays.copyOf(receivingHost, size);
    reporter = Arrays.copyOf(reporter, size);
    wantsFloor = Arrays.copyOf(wantsFloor, size);
    passedBySender = Arrays.copyOf(passedBySender, size);
    waitedAt = Arrays.copyOf(waitedAt, size);
    firstEntry = Arrays.copyOf(firstEntry, size);
    nextOfEndpoint = Arrays.copyOf(nextOfEndpoint, size);
    previousOfEndpoint = Arrays.copyOf(previousOfEndpoint, size);
  }
}
