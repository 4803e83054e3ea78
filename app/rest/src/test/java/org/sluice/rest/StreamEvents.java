// SPDX-License-Identifier: Apache-2.0
package org.sluice.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The far end of a stream: takes what is written, or does not, and reads events out of it. */
final class StreamEvents extends OutputStream {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private boolean taking = true;
  private boolean blocked;

  /** An event. */
  static final class Event {
    final String name;
    final String id;
    final JsonNode data;

    private Event(String block) {
      this.name = field(block, "event");
      this.id = field(block, "id");
      try {
        this.data = new ObjectMapper().readTree(field(block, "data"));
      } catch (IOException e) {
        throw new AssertionError(block, e);
      }
    }

    private static String field(String block, String name) {
      List<String> values = new ArrayList<>();
      for (String line : block.split("\n")) {
        if (line.startsWith(name + ": ")) {
          values.add(line.substring(name.length() + 2));
        }
      }
      if (values.size() != 1) {
        throw new AssertionError(values.size() + " fields " + name + " in: " + block);
      }
      return values.get(0);
    }

    List<String> ids(String list) {
      List<String> found = new ArrayList<>();
      data.path(list).forEach(row -> found.add((row.isObject() ? row.path("id") : row).asText()));
      return found;
    }

    @Override
    public String toString() {
      return name + " " + data + " " + id;
    }
  }

  /** Takes nothing from now on, as a reader with a full window, or everything again. */
  synchronized void setTaking(boolean now) {
    taking = now;
    notifyAll();
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) throws IOException {
    try {
      while (!taking) {
        blocked = true;
        notifyAll();
        wait();
      }
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while the reader takes nothing");
    }
    blocked = false;
    taken.write(bytes, from, length);
    notifyAll();
  }

  /** All that arrived whole so far. */
  synchronized List<Event> all() {
    return events(taken.toString(StandardCharsets.UTF_8));
  }

  /** All events in a stream; none of them is cut off. */
  static List<Event> events(String text) {
    List<Event> events = new ArrayList<>();
    int end;
    for (int from = 0; (end = text.indexOf("\n\n", from)) >= 0; from = end + 2) {
      String block = text.substring(from, end);
      if (!block.startsWith("retry: ") && !block.startsWith(":")) {
        events.add(new Event(block));
      }
    }
    return events;
  }

  /** Those of one name. */
  synchronized List<Event> named(String name) {
    return all().stream().filter(one -> one.name.equals(name)).collect(Collectors.toList());
  }

  /** Waits for an event, and returns the first that fits. */
  synchronized Event await(String name, Predicate<Event> wanted) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    Optional<Event> found = first(name, wanted);
    while (found.isEmpty()) {
      wait(millisLeft(end, name));
      found = first(name, wanted);
    }
    return found.get();
  }

  private Optional<Event> first(String name, Predicate<Event> wanted) {
    return named(name).stream().filter(wanted).findFirst();
  }

  /** Waits until a write is held up. */
  synchronized void awaitBlocked() throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!blocked) {
      wait(millisLeft(end, "a write that is held up"));
    }
  }

  private long millisLeft(long endNanos, String what) {
    long left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
    if (left <= 0) {
      throw new AssertionError("no " + what + " among " + all());
    }
    return left;
  }
}
