// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.runtime.Execution;
import org.sluice.core.spi.Switches;
import org.sluice.odl.line.Mdsal;
import org.sluice.odl.openflow.SwitchCalls.Refusal;
import org.sluice.polling.PollCounts;
import org.sluice.polling.PollRequest;
import org.sluice.polling.Poller;
import org.sluice.polling.Reading;

/**
 * Reads counters by openflowplugin's direct statistics, over the connections that switches have to
 * OpenDaylight anyway: no port of its own, and nothing to set up. Samples come on its own thread.
 */
public final class DirectCounters implements CounterReader {
  private static final long STOP_SECONDS = 5;

  private final SwitchCalls calls;
  private final Switches switches;
  private final Execution execution;
  private final CounterListener listener;
  private final ScheduledExecutorService executor;
  private final Map<String, CounterTargets> targets = new ConcurrentHashMap<>();
  private final Map<String, Exchange> exchanges = new ConcurrentHashMap<>();

  /**
   * One that reads nothing yet.
   *
   * @param listener takes every sample; it must not wait
   */
  public DirectCounters(
      Mdsal mdsal, Switches switches, Execution execution, CounterListener listener) {
    calls = new SwitchCalls(mdsal);
    this.switches = switches;
    this.execution = execution;
    this.listener = listener;
    executor = execution.sequential("direct-counters");
  }

  /** The requests of one switch. The executor's thread alone. */
  private final class Exchange implements Poller.Wire {
    private final String datapath;
    private final PollCounts counts = new PollCounts();
    private final Poller poller;
    private CompletableFuture<List<Reading>> asked;
    private Future<?> wakeUp;

    Exchange(String datapath) {
      this.datapath = datapath;
      poller = new Poller(datapath, this, listener, execution.clock()::nanoTime, counts);
    }

    @Override
    public void request(PollRequest request) {
      Optional<Long> number = request.isForAll() ? Optional.empty() : Optional.of(request.number());
      CompletableFuture<List<Reading>> call =
          request.kind() == PollRequest.Kind.PORT
              ? calls.ports(datapath, number)
              : calls.meters(datapath, number);
      asked = call;
      counts.carried(PollRequest.REQUEST_BYTES);
      call.whenCompleteAsync(
          (readings, failure) -> ended(call, request.kind(), readings, failure), executor);
    }

    /** One that could not be sent is given up by and by, like one that is not answered. */
    private void ended(
        CompletableFuture<?> call,
        PollRequest.Kind kind,
        List<Reading> readings,
        Throwable failure) {
      if (asked != call || !poller.isWaiting()) {
        counts.stale();
      } else if (failure == null) {
        long bytes = kind.replyBytes(readings.size());
        counts.carried(bytes);
        poller.replied(readings, bytes);
      } else if (SwitchCalls.cause(failure) instanceof Refusal) {
        poller.refused();
      }
    }

    @Override
    public void wakeAt(long nanos) {
      if (wakeUp != null) {
        wakeUp.cancel(false);
        wakeUp = null;
      }
      if (nanos != Long.MAX_VALUE) {
        long wait = Math.max(0, nanos - execution.clock().nanoTime());
        wakeUp = executor.schedule(poller::wake, wait, NANOSECONDS);
      }
    }
  }

  @Override
  public int port() {
    return NO_PORT;
  }

  @Override
  public void read(String datapath, CounterTargets wanted) {
    if (!wanted.equals(targets.put(datapath, wanted))) {
      executor.execute(
          () ->
              exchanges
                  .computeIfAbsent(datapath, Exchange::new)
                  .poller
                  .setTargets(Optional.of(wanted)));
    }
  }

  @Override
  public void stopReading(String datapath) {
    if (targets.remove(datapath) != null) {
      executor.execute(
          () ->
              Optional.ofNullable(exchanges.remove(datapath))
                  .ifPresent(exchange -> exchange.poller.setTargets(Optional.empty())));
    }
  }

  @Override
  public void watch(PortId port, long forNanos) {
    Exchange exchange = exchanges.get(port.datapath());
    if (exchange != null) {
      executor.execute(() -> exchange.poller.watch(port.number(), forNanos));
    }
  }

  @Override
  public boolean isConnected(String datapath) {
    return switches.isConnected(datapath);
  }

  @Override
  public List<SwitchCounters> switches() {
    List<SwitchCounters> all = new ArrayList<>();
    new TreeMap<>(exchanges)
        .forEach(
            (datapath, exchange) -> {
              if (isConnected(datapath)) {
                all.add(exchange.counts.status(datapath).build());
              }
            });
    return all;
  }

  @Override
  public void close() {
    executor.shutdownNow();
    try {
      executor.awaitTermination(STOP_SECONDS, SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
