// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;

/**
 * Polls one switch for its counters as the plan says, one request at a time, and makes samples of
 * the replies. Not thread-safe: one thread does everything.
 */
public final class Poller {
  /** After this long without a reply a request is given up. */
  public static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** After several in a row the switch is polled less and less, down to this. */
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int PACKETS = 0;
  private static final int BYTES = 1;

  /** What the poller does to the world. */
  public interface Wire {
    /** Sends a request; the one before was answered or given up. */
    void request(PollRequest request);

    /** Calls {@link Poller#wake} then; a later call replaces an earlier one. */
    void wakeAt(long nanos);
  }

  private final String datapath;
  private final Wire wire;
  private final CounterListener listener;
  private final LongSupplier clockNanos;
  private final PollPlan plan = new PollPlan();
  private final PollCounts counts;
  private final PortSamples ports;
  private final Map<Long, Counters> meters = new HashMap<>();

  private CounterTargets targets = CounterTargets.of(Map.of(), Map.of());
  private boolean polling;
  private PollRequest asked;
  private long requestedNanos;
  private int timeoutsInARow;
  private long pausedUntilNanos;
  private boolean paused;

  /** One that reads nothing yet. */
  public Poller(
      String datapath,
      Wire wire,
      CounterListener listener,
      LongSupplier clockNanos,
      PollCounts counts) {
    this.datapath = datapath;
    this.wire = wire;
    this.listener = listener;
    this.clockNanos = clockNanos;
    this.counts = counts;
    ports = new PortSamples(datapath);
  }

  /** Reads these from now on; empty: nothing. */
  public void setTargets(Optional<CounterTargets> wanted) {
    polling = wanted.isPresent();
    wanted.ifPresent(
        now -> {
          targets = now;
          plan.setTargets(now, clockNanos.getAsLong());
          ports.retain(now.portCapacities().keySet());
          meters.keySet().retainAll(now.markMeters().keySet());
        });
    if (!polling) {
      // Who knows when it goes on: what was read by then says nothing.
      ports.clear();
      meters.clear();
    }
    wake();
  }

  /** Reads a port every 5 ms for a while. */
  public void watch(long port, long forNanos) {
    long now = clockNanos.getAsLong();
    plan.watch(port, now + forNanos, now);
    wake();
  }

  /** Does what is due. */
  public void wake() {
    long now = clockNanos.getAsLong();
    if (asked != null && now - requestedNanos >= TIMEOUT_NANOS) {
      giveUp(now);
    }
    if (paused && now - pausedUntilNanos >= 0) {
      paused = false;
    }
    if (asked == null && polling && !paused) {
      plan.next(now).ifPresent(request -> send(request, now));
    }
    if (asked != null) {
      wire.wakeAt(requestedNanos + TIMEOUT_NANOS);
    } else if (polling) {
      wire.wakeAt(paused ? pausedUntilNanos : plan.nextNanos(now));
    }
  }

  private void send(PollRequest request, long now) {
    asked = request;
    requestedNanos = now;
    counts.requested();
    wire.request(request);
  }

  private void giveUp(long now) {
    asked = null;
    counts.timedOut();
    // Doubled each time: 250 ms are lost already, so the first pause is none.
    long pause = TIMEOUT_NANOS * ((1L << Math.min(timeoutsInARow, 4)) - 1);
    timeoutsInARow++;
    paused = true;
    pausedUntilNanos = now + Math.min(pause, MAX_PAUSE_NANOS);
  }

  /** Whether a request is under way: a reply to any other came too late. */
  public boolean isWaiting() {
    return asked != null;
  }

  /**
   * The request that is under way was answered.
   *
   * @param readings of all that the reply is about, wanted or not
   * @param replyBytes OpenFlow bytes of the reply
   */
  public void replied(Iterable<Reading> readings, long replyBytes) {
    long now = clockNanos.getAsLong();
    PollRequest request = asked;
    asked = null;
    timeoutsInARow = 0;
    counts.answered(now - requestedNanos);
    plan.replied(request, replyBytes);
    take(request, readings, now);
    wake();
  }

  /** The switch answered the request that is under way with an error: it does not have that. */
  public void refused() {
    plan.missing(asked, clockNanos.getAsLong());
    asked = null;
    timeoutsInARow = 0;
    counts.refused();
    wake();
  }

  /** Takes what the reply says of what was requested; what it says nothing of is not there. */
  private void take(PollRequest request, Iterable<Reading> readings, long now) {
    Set<Long> wanted = new HashSet<>(requested(request));
    for (Reading reading : readings) {
      if (wanted.remove(reading.number())) {
        if (request.kind() == PollRequest.Kind.PORT) {
          takePort(reading, now);
        } else {
          takeMeter(reading, now);
        }
      }
    }
    wanted.forEach(number -> plan.missing(new PollRequest(request.kind(), number), now));
  }

  private Set<Long> requested(PollRequest request) {
    if (!request.isForAll()) {
      return Set.of(request.number());
    }
    return request.kind() == PollRequest.Kind.PORT
        ? targets.portCapacities().keySet()
        : targets.markMeters().keySet();
  }

  private void takePort(Reading reading, long now) {
    ports
        .read(reading, now)
        .ifPresent(
            sample -> {
              plan.portRead(
                  reading.number(),
                  sample.rxPackets() + sample.txPackets() > 0,
                  sample.rxBitsPerSecond(),
                  sample.txBitsPerSecond(),
                  now);
              listener.portRead(sample);
            });
  }

  private void takeMeter(Reading reading, long now) {
    long number = reading.number();
    meters
        .computeIfAbsent(number, n -> new Counters())
        .read(reading.counters(), reading.aliveSeconds(), reading.aliveNanos(), now)
        .ifPresent(
            added -> {
              plan.meterRead(number, added.count(PACKETS), now);
              listener.meterRead(
                  MeterSample.of(
                      datapath,
                      number,
                      added.count(PACKETS),
                      added.count(BYTES),
                      added.intervalNanos()));
            });
  }
}
