// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.loop;

import java.util.List;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.UplinkHandler;
import org.sluice.core.inbox.EngineInbox;
import org.sluice.core.runtime.Clock;
import org.sluice.engine.Engine;

/** Puts what hosts, switches and port agents observed into the engine's inbox. Thread-safe. */
public final class EngineFeed implements UplinkHandler, CounterListener {
  private final EngineInbox inbox;
  private final Engine engine;
  private final NicCapacities nics;
  private final Tap[] taps;
  private final Clock clock;

  /** Receives samples after the engine, on the engine's thread. */
  public interface Tap {
    /** A host has sent and received. */
    void sent(HostObservation observation);

    /** A port agent has seen its queues. */
    void queued(PortQueueObservation observation);

    /** A port's counter was read. */
    void counted(PortSample sample, long receivedNanos);
  }

  public EngineFeed(
      EngineInbox inbox, Engine engine, NicCapacities nics, List<Tap> taps, Clock clock) {
    this.inbox = inbox;
    this.engine = engine;
    this.nics = nics;
    this.taps = taps.toArray(new Tap[0]);
    this.clock = clock;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    long capacity = hello.uplinkCapacityBitsPerSecond();
    if (capacity > 0) {
      inbox.post(now -> nics.claim(hello.host(), capacity));
    }
  }

  @Override
  public void observed(HostObservation observation) {
    int entries = observation.pairs().size() + observation.endpoints().size();
    inbox.offer(
        observation.host(),
        entries,
        now -> {
          engine.observe(observation);
          for (Tap tap : taps) {
            tap.sent(observation);
          }
        });
  }

  @Override
  public void portQueuesObserved(PortQueueObservation observation) {
    int entries = observation.ports().size();
    inbox.offer(
        observation.host(),
        entries,
        now -> {
          engine.observe(observation);
          for (Tap tap : taps) {
            tap.queued(observation);
          }
        });
  }

  /** Samples of switches bear the switch's clock: when they came is noted here. */
  @Override
  public void portRead(PortSample sample) {
    long received = clock.nanoTime();
    inbox.offer(
        now -> {
          engine.observe(sample, received);
          for (Tap tap : taps) {
            tap.counted(sample, received);
          }
        });
  }

  @Override
  public void meterRead(MeterSample sample) {
    long received = clock.nanoTime();
    inbox.offer(now -> engine.observe(sample, received));
  }
}
