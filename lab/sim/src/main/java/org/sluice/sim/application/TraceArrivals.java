// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;

/** Flows that arrive as in a trace. */
public final class TraceArrivals {
  private static final int FIELDS = 4;

  private final Scheduler scheduler;
  private final FlowLauncher launcher;
  private final List<Entry> entries;
  private final Event arrival = new Arrival();
  private long startNanos;
  private int next;

  /**
   * A flow of the trace.
   *
   * @param atNanos after the trace's start, at least 0
   * @param bytes at least 1
   */
  public record Entry(long atNanos, Endpoint from, Endpoint to, long bytes) {
    public Entry {
      if (atNanos < 0) {
        throw new IllegalArgumentException("the time must not be negative: " + atNanos);
      }
      if (bytes < 1) {
        throw new IllegalArgumentException("bytes must be at least 1, not " + bytes);
      }
    }
  }

  /**
   * @param entries in any order; those of one time start in the order given
   */
  public TraceArrivals(Network network, FlowLauncher launcher, List<Entry> entries) {
    this.scheduler = network.scheduler();
    this.launcher = launcher;
    this.entries = new ArrayList<>(entries);
    this.entries.sort(Comparator.comparingLong(Entry::atNanos));
  }

  /**
   * Reads a trace: a line each, {@code nanoseconds,source,destination,bytes}; what follows {@code
   * #} is a comment.
   *
   * @param name for messages
   * @throws IllegalArgumentException naming the line that is wrong, and why
   */
  public static List<Entry> read(Reader text, String name, Network network) throws IOException {
    List<Entry> entries = new ArrayList<>();
    BufferedReader lines = new BufferedReader(text);
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      number++;
      String content = line.replaceFirst("#.*", "").strip();
      if (content.isEmpty()) {
        continue;
      }
      try {
        entries.add(entry(content, network));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            name + ", line " + number + " (" + content + "): " + e.getMessage(), e);
      }
    }
    return entries;
  }

  private static Entry entry(String content, Network network) {
    String[] fields = content.split("\\s*,\\s*", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException("write nanoseconds,source,destination,bytes");
    }
    return new Entry(
        number("nanoseconds", fields[0]),
        endpoint(fields[1], network),
        endpoint(fields[2], network),
        number("bytes", fields[3]));
  }

  private static long number(String field, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(field + " must be a whole number, not " + text, e);
    }
  }

  private static Endpoint endpoint(String name, Network network) {
    Endpoint endpoint = network.endpoint(name);
    if (endpoint == null) {
      throw new IllegalArgumentException("there is no endpoint " + name);
    }
    return endpoint;
  }

  /** The trace's time 0 is that time. */
  public void start(long atNanos) {
    startNanos = atNanos;
    next = 0;
    armNext();
  }

  private void armNext() {
    if (next < entries.size()) {
      scheduler.arm(arrival, startNanos + entries.get(next).atNanos());
    }
  }

  private final class Arrival extends Event {
    @Override
    protected void fire() {
      Entry entry = entries.get(next++);
      launcher.launch(entry.from(), entry.to(), entry.bytes());
      armNext();
    }
  }
}
