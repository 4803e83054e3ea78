// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.Arrays;

/** (source address, destination address) pairs by row number, and what each sends. */
final class PairTable {
  /** Most pairs remembered at once; a VM that scans the network must not fill the heap. */
  static final int MAX_PAIRS = 1 << 20;

  private static final int FIRST = 1024;

  private final LongIntMap rows = new LongIntMap();
  private final Slots slots = new Slots();

  /** Row of the endpoint that sends; -1 in a free row. */
  int[] endpoint = new int[FIRST];

  int[] sourceAddress = new int[FIRST];
  int[] destinationAddress = new int[FIRST];

  /** Row in {@link PathTable}, or {@link PathTable#UNKNOWN}. */
  int[] path = new int[FIRST];

  /** The oracle's epoch when the path was asked for. */
  long[] pathEpoch = new long[FIRST];

  /** What the source's host saw, bit/s, smoothed. */
  long[] sentBitsPerSecond = new long[FIRST];

  /** What the destination's host saw, bit/s, smoothed. */
  long[] receivedBitsPerSecond = new long[FIRST];

  /** What is now added to the loads of its path's ports, bit/s. */
  long[] rateBitsPerSecond = new long[FIRST];

  /** Engine time until which the source's host's last word holds, ns. */
  long[] sentUntil = new long[FIRST];

  /** Engine time until which the destination's host's last word holds, ns. */
  long[] receivedUntil = new long[FIRST];

  boolean[] active = new boolean[FIRST];

  /** Head of the list of its entries in {@link CrossingTable}, or -1. */
  int[] firstEntry = new int[FIRST];

  /** Neighbours in the list of the endpoint's pairs, or -1. */
  int[] nextOfEndpoint = new int[FIRST];

  int[] previousOfEndpoint = new int[FIRST];

  PairTable() {
    Arrays.fill(endpoint, -1);
  }

  int find(int source, int destination) {
    return rows.get(key(source, destination));
  }

  boolean isFull() {
    return slots.used() >= MAX_PAIRS;
  }

  int size() {
    return slots.used();
  }

  /** All rows are below; some may be free. */
  int limit() {
    return slots.limit();
  }

  int add(int endpointRow, int source, int destination) {
    int row = slots.take();
    if (row == endpoint.length) {
      grow();
    }
    endpoint[row] = endpointRow;
    sourceAddress[row] = source;
    destinationAddress[row] = destination;
    path[row] = PathTable.UNKNOWN;
    sentBitsPerSecond[row] = 0;
    receivedBitsPerSecond[row] = 0;
    rateBitsPerSecond[row] = 0;
    sentUntil[row] = Long.MIN_VALUE;
    receivedUntil[row] = Long.MIN_VALUE;
    active[row] = false;
    firstEntry[row] = -1;
    rows.put(key(source, destination), row);
    return row;
  }

  void remove(int row) {
    rows.remove(key(sourceAddress[row], destinationAddress[row]));
    endpoint[row] = -1;
    slots.giveBack(row);
  }

  private static long key(int source, int destination) {
    return ((long) source << 32) | destination;
  }

  private void grow() {
    int old = endpoint.length;
    int size = 2 * old;
    endpoint = Arrays.copyOf(endpoint, size);
    Arrays.fill(endpoint, old, size, -1);
    sourceAddress = Arrays.copyOf(sourceAddress, size);
    destinationAddress = Arrays.copyOf(destinationAddress, size);
    path = Arrays.copyOf(path, size);
    pathEpoch = Arrays.copyOf(pathEpoch, size);
    sentBitsPerSecond = Arrays.copyOf(sentBitsPerSecond, size);
    receivedBitsPerSecond = Arrays.copyOf(receivedBitsPerSecond, size);
    rateBitsPerSecond = Arrays.copyOf(rateBitsPerSecond, size);
    sentUntil = Arrays.copyOf(sentUntil, size);
    receivedUntil = Arrays.copyOf(receivedUntil, size);
    active = Arrays.copyOf(active, size);
    firstEntry = Arrays.copyOf(firstEntry, size);
    nextOfEndpoint = Arrays.copyOf(nextOfEndpoint, size);
    previousOfEndpoint = Arrays.copyOf(previousOfEndpoint, size);
  }
}
