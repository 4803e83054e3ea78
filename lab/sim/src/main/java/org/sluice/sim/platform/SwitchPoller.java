// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.polling.PollPlan;
import org.sluice.polling.PollRequest;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;

/**
 * Reads one switch over a connection of its own, when and what the product's plan says, with one
 * request under way at a time.
 */
final class SwitchPoller {
  private final Scheduler scheduler;
  private final CounterReadings readings;
  private final ControlChannel requests;
  private final ControlChannel replies;
  private final Event wake = Event.running(this::wake);
  private CounterListener listener;
  private CounterTargets targets;
  private PollPlan plan = new PollPlan();
  private boolean waits;

  /** Grows with each connection: a reply to a request of another one is forgotten. */
  private long connection;

  SwitchPoller(
      Scheduler scheduler,
      CounterReadings readings,
      ControlChannel requests,
      ControlChannel replies) {
    this.scheduler = scheduler;
    this.readings = readings;
    this.requests = requests;
    this.replies = replies;
  }

  void connect(CounterListener to) {
    listener = to;
    plan = new PollPlan();
    readings.forget();
  }

  void disconnect() {
    stopReading();
    listener = null;
  }

  void read(CounterTargets wanted) {
    if (!wanted.equals(targets)) {
      targets = wanted;
      plan.setTargets(wanted, scheduler.now());
      wake();
    }
  }

  void stopReading() {
    targets = null;
    connection++;
    waits = false;
    scheduler.disarm(wake);
    readings.forget();
  }

  void watch(long port, long forNanos) {
    long now = scheduler.now();
    plan.watch(port, now + forNanos, now);
    wake();
  }

  private void wake() {
    if (targets == null || waits) {
      return;
    }
    long now = scheduler.now();
    Optional<PollRequest> next = plan.next(now);
    if (next.isPresent()) {
      send(next.get());
    } else {
      // What the plan cannot pay for exactly now it can a nanosecond later.
      scheduler.arm(wake, Math.max(now + 1, plan.nextNanos(now)));
    }
  }

  private void send(PollRequest request) {
    waits = true;
    long begun = connection;
    requests.send(() -> reply(request, begun));
  }

  /** The switch has the request. */
  private void reply(PollRequest request, long begun) {
    if (begun != connection) {
      return;
    }
    long now = scheduler.now();
    List<PortSample> ports = new ArrayList<>();
    List<MeterSample> meters = new ArrayList<>();
    Set<Long> numbers = numbers(request);
    for (long number : numbers) {
      if (request.kind() == PollRequest.Kind.PORT) {
        readings.port((int) number, now).ifPresent(ports::add);
      } else {
        int inPort = Math.toIntExact(targets.markMeters().get(number));
        readings.meter(inPort, now).ifPresent(meters::add);
      }
    }
    long bytes = request.kind().replyBytes(numbers.size());
    replies.send(() -> take(request, begun, bytes, ports, meters));
  }

  /** In their order, whatever order the targets have. */
  private Set<Long> numbers(PollRequest request) {
    if (!request.isForAll()) {
      return Set.of(request.number());
    }
    return new TreeSet<>(
        request.kind() == PollRequest.Kind.PORT
            ? targets.portCapacities().keySet()
            : targets.markMeters().keySet());
  }

  private void take(
      PollRequest request,
      long begun,
      long bytes,
      List<PortSample> ports,
      List<MeterSample> meters) {
    if (begun != connection) {
      return;
    }
    waits = false;
    long now = scheduler.now();
    plan.replied(request, bytes);
    for (PortSample sample : ports) {
      plan.portRead(
          sample.port().number(),
          sample.rxPackets() + sample.txPackets() > 0,
          sample.rxBitsPerSecond(),
          sample.txBitsPerSecond(),
          now);
      listener.portRead(sample);
    }
    for (MeterSample sample : meters) {
      plan.meterRead(sample.meterId(), sample.packets(), now);
      listener.meterRead(sample);
    }
    wake();
  }
}
