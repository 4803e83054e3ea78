// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.Arrays;
import org.sluice.sim.network.Endpoint;

/** The flows that have ended: between whom, how large, when they began, how long they took. */
public final class FlowLog {
  private long[] bytes = new long[64];
  private long[] startNanos = new long[64];
  private long[] durationNanos = new long[64];
  private Endpoint[] sources = new Endpoint[64];
  private Endpoint[] destinations = new Endpoint[64];
  private int count;

  void add(Endpoint from, Endpoint to, long size, long start, long duration) {
    if (count == bytes.length) {
      sources = Arrays.copyOf(sources, count * 2);
      destinations = Arrays.copyOf(destinations, count * 2);
      bytes = Arrays.copyOf(bytes, count * 2);
      startNanos = Arrays.copyOf(startNanos, count * 2);
      durationNanos = Arrays.copyOf(durationNanos, count * 2);
    }
    sources[count] = from;
    destinations[count] = to;
    bytes[count] = size;
    startNanos[count] = start;
    durationNanos[count] = duration;
    count++;
  }

  /** How many have ended; they are numbered in that order. */
  public int count() {
    return count;
  }

  public Endpoint source(int flow) {
    return sources[requireFlow(flow)];
  }

  public Endpoint destination(int flow) {
    return destinations[requireFlow(flow)];
  }

  public long bytes(int flow) {
    return bytes[requireFlow(flow)];
  }

  /** When its connection was opened, ns. */
  public long startNanos(int flow) {
    return startNanos[requireFlow(flow)];
  }

  /** From the opening of the connection to the last byte's arrival, ns. */
  public long durationNanos(int flow) {
    return durationNanos[requireFlow(flow)];
  }

  private int requireFlow(int flow) {
    if (flow < 0 || flow >= count) {
      throw new IndexOutOfBoundsException("there is no flow " + flow + " of " + count);
    }
    return flow;
  }

  /** The durations of flows of these sizes, bytes: at least the one, below the other. */
  public LatencyRecord durations(long atLeastBytes, long belowBytes) {
    LatencyRecord record = new LatencyRecord();
    for (int i = 0; i < count; i++) {
      if (bytes[i] >= atLeastBytes && bytes[i] < belowBytes) {
        record.add(durationNanos[i]);
      }
    }
    return record;
  }
}
