// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.inbox;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.HostId;
import org.sluice.api.SluiceException;
import org.sluice.core.runtime.Execution;

/**
 * Hands samples and tasks to the engine thread, in their order. Bounded by number and by bytes:
 * when the engine thread cannot keep up, the oldest samples go, since newer ones say more; a task
 * is never dropped once it was taken in, and refused if there is no space. What one host has
 * waiting is bounded, too: its newest goes, so that it takes no space from others. All are counted.
 * Thread-safe, but for {@link #drain}.
 */
public final class EngineInbox {
  /**
   * A thousand hosts that report every control period, and two thousand samples of switches, over
   * ten periods; and as many registrations as may wait.
   */
  public static final int CAPACITY = 60_000;

  /** What a host's sample and each of its entries hold in memory, bytes, roughly. */
  static final int ENTRY_BYTES = 128;

  /** Most bytes that wait. */
  static final long CAPACITY_BYTES = 128 << 20;

  /** Most of them of one host: eight reports of as many pairs as an agent has. */
  static final long HOST_BYTES = 8 << 20;

  private static final Logger log = LoggerFactory.getLogger(EngineInbox.class);
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long FAULT_LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final int capacity;
  private final Execution execution;
  private volatile Runnable wake = () -> {};
  private volatile boolean urgent;

  /** Engine thread only. */
  private long nextFaultLogNanos = Long.MIN_VALUE;

  // Guarded by this:
  private ArrayDeque<Entry> waiting = new ArrayDeque<>();
  private ArrayDeque<Entry> spare = new ArrayDeque<>();
  private final Map<HostId, Long> hostBytes = new HashMap<>();
  private long bytes;
  private int samples;
  private long droppedSamples;
  private long refusedTasks;

  private static final class Entry {
    final LongConsumer action;
    final boolean isSample;

    /** Whose; null: a switch's. */
    final HostId host;

    final int bytes;

    Entry(LongConsumer action, boolean isSample, HostId host, int bytes) {
      this.action = action;
      this.isSample = isSample;
      this.host = host;
      this.bytes = bytes;
    }
  }

  /** An empty one. */
  public EngineInbox(Execution execution) {
    this(execution, CAPACITY);
  }

  EngineInbox(Execution execution, int capacity) {
    this.execution = execution;
    this.capacity = capacity;
  }

  /** What has the engine thread evaluate {@link #isUrgent}. */
  public void setWake(Runnable value) {
    wake = value;
  }

  /** Whether something waits that should not wait for the next control period. */
  public boolean isUrgent() {
    return urgent;
  }

  /** Takes in what a later one of its kind makes up for; the oldest of them goes if it is full. */
  public void offer(LongConsumer sample) {
    add(new Entry(sample, true, null, ENTRY_BYTES));
  }

  /**
   * As {@link #offer(LongConsumer)}, of a host.
   *
   * @param entries how many pairs, ports or flows it lists
   */
  public void offer(HostId host, int entries, LongConsumer sample) {
    add(new Entry(sample, true, host, ENTRY_BYTES * (1 + entries)));
  }

  private synchronized void add(Entry sample) {
    HostId host = sample.host;
    int size = sample.bytes;
    if (host != null && hostBytes.getOrDefault(host, 0L) + size > HOST_BYTES) {
      droppedSamples++;
      return;
    }
    while (waiting.size() >= capacity || samples > 0 && bytes + size > CAPACITY_BYTES) {
      if (!dropOldestSample()) {
        droppedSamples++; // nothing but tasks: this one goes
        return;
      }
    }
    waiting.add(sample);
    samples++;
    bytes += size;
    if (host != null) {
      hostBytes.merge(host, (long) size, Long::sum);
    }
  }

  private void leave(Entry entry) {
    bytes -= entry.bytes;
    if (entry.host != null) {
      hostBytes.computeIfPresent(
          entry.host, (host, its) -> its > entry.bytes ? its - entry.bytes : null);
    }
  }

  /** As {@link #offer}, to be taken in before the next control period. */
  public void offerUrgent(LongConsumer sample) {
    offer(sample);
    hurry();
  }

  /** As {@link #offer(HostId, int, LongConsumer)}, to be taken in before the next period. */
  public void offerUrgent(HostId host, int entries, LongConsumer sample) {
    offer(host, entries, sample);
    hurry();
  }

  private boolean dropOldestSample() {
    if (samples == 0) {
      return false;
    }
    for (Iterator<Entry> entries = waiting.iterator(); entries.hasNext(); ) {
      Entry entry = entries.next();
      if (entry.isSample) {
        entries.remove();
        leave(entry);
        samples--;
        droppedSamples++;
        return true;
      }
    }
    throw new IllegalStateException("no sample among those counted");
  }

  /**
   * Takes in something that must be done, in the next control period.
   *
   * @return false if there is no space
   */
  public boolean post(LongConsumer task) {
    synchronized (this) {
      if (waiting.size() >= capacity && !dropOldestSample()) {
        refusedTasks++;
        return false;
      }
      waiting.add(new Entry(task, false, null, 0));
      return true;
    }
  }

  /**
   * As {@link #post}, to be done before the next control period.
   *
   * @return false if there is no space
   */
  public boolean postUrgent(LongConsumer task) {
    boolean taken = post(task);
    hurry();
    return taken;
  }

  private void hurry() {
    urgent = true;
    wake.run();
  }

  /**
   * Has the engine thread find something out soon, and waits for the answer.
   *
   * @param question is given the engine thread's time
   * @throws SluiceException UNAVAILABLE if none comes
   */
  public <T> T call(LongFunction<T> question) throws SluiceException {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean taken =
        postUrgent(
            now -> {
              try {
                answer.complete(question.apply(now));
              } catch (RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    if (!taken) {
      throw unavailable("The controller has too many requests to decide");
    }
    try {
      return execution.await(answer, ANSWER_NANOS);
    } catch (TimeoutException e) {
      throw unavailable("The controller is too busy to decide");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("The controller is stopping");
    } catch (ExecutionException e) {
      log.error("A query to the engine failed", e.getCause());
      throw unavailable("The query to the engine failed: " + e.getCause());
    }
  }

  private static SluiceException unavailable(String message) {
    return new SluiceException(
        SluiceException.Kind.UNAVAILABLE, "", "", message, "Try again in some seconds");
  }

  /**
   * Does all that waits, in its order. Engine thread only.
   *
   * @return whether there was a sample
   */
  public boolean drain(long nowNanos) {
    urgent = false;
    ArrayDeque<Entry> drained;
    boolean hadSamples;
    synchronized (this) {
      if (waiting.isEmpty()) {
        return false;
      }
      drained = waiting;
      waiting = spare;
      hadSamples = samples > 0;
      samples = 0;
      bytes = 0;
      hostBytes.clear();
    }
    for (Entry entry = drained.poll(); entry != null; entry = drained.poll()) {
      try {
        entry.action.accept(nowNanos);
      } catch (RuntimeException e) {
        if (nextFaultLogNanos == Long.MIN_VALUE || nowNanos - nextFaultLogNanos >= 0) {
          nextFaultLogNanos = nowNanos + FAULT_LOG_NANOS;
          log.error("A sample or a task could not be processed", e);
        }
      }
    }
    synchronized (this) {
      spare = drained;
    }
    return hadSamples;
  }

  /** How many samples were dropped since the start. */
  public synchronized long droppedSamples() {
    return droppedSamples;
  }

  /** How many tasks were refused since the start. */
  public synchronized long refusedTasks() {
    return refusedTasks;
  }
}
