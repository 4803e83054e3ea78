// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.PortCounters;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.SwitchNames;
import org.sluice.sim.queue.QueueDiscipline;

/**
 * Reports what a switch's queues hold and have counted, as a port's agent does: every T_i while
 * anything passes and until the queue is empty again, else every second.
 */
public final class QueueCounts implements AgentFunction {
  /** T_i until the controller says it. */
  private static final long DEFAULT_PERIOD_NANOS = 5_000_000L;

  private static final long IDLE_NANOS = 1_000_000_000L;

  private final Network network;
  private final HostId id;
  private final Switch watched;
  private final SwitchNames names;
  private final long phaseNanos;
  private final AgentConnection connection;
  private final LevelQueues levels;
  private final Event report = Event.running(this::report);

  // By port: what was counted by the last report.
  private final long[] sent;
  private final long[] dropped;
  private final long[] over;
  private final long[] sentBytes;
  private final long[] reportedNanos;
  private final boolean[] wasEmpty;

  private long periodNanos = DEFAULT_PERIOD_NANOS;
  private long lastNanos;

  /**
   * @param levels of its ports; null if they have one queue each
   */
  public QueueCounts(
      Network network,
      Switch watched,
      SwitchNames names,
      AgentConnection connection,
      LevelQueues levels) {
    this.network = network;
    this.id = PortAgent.id(watched);
    this.watched = watched;
    this.names = names;
    this.phaseNanos =
        network.random().stream("counters " + watched.name()).nextLong(DEFAULT_PERIOD_NANOS);
    this.connection = connection;
    this.levels = levels;
    this.sent = new long[watched.ports().size()];
    this.dropped = new long[sent.length];
    this.over = new long[sent.length];
    this.sentBytes = new long[sent.length];
    this.reportedNanos = new long[sent.length];
    this.wasEmpty = new boolean[sent.length];
  }

  /** What was counted before is left out. */
  @Override
  public void sessionBegan() {
    lastNanos = network.scheduler().now();
    count(lastNanos);
    Arrays.fill(reportedNanos, lastNanos - IDLE_NANOS); // The next report has all of them.
    network.scheduler().arm(report, lastNanos + 1 + phaseNanos);
  }

  @Override
  public void sessionEnded() {
    network.scheduler().disarm(report);
  }

  @Override
  public void received(DownlinkMessage message) {
    if (message.kind() == DownlinkMessage.Kind.SETTINGS) {
      periodNanos = TimeUnit.MICROSECONDS.toNanos(message.settings().controlPeriodMicros());
    }
  }

  private void report() {
    long now = network.scheduler().now();
    long interval = now - lastNanos;
    lastNanos = now;
    List<PortQueueSample> queues = count(now);
    if (!queues.isEmpty()) {
      connection.send(
          received ->
              UplinkMessage.ofPortQueues(PortQueueObservation.of(id, received, interval, queues)));
    }
    network.scheduler().arm(report, now + periodNanos);
  }

  private List<PortQueueSample> count(long nowNanos) {
    List<PortQueueSample> queues = new ArrayList<>();
    for (int p = 0; p < sent.length; p++) {
      Port port = watched.ports().get(p);
      PortCounters counters = port.counters();
      QueueDiscipline queue = port.queue();
      long newSent = counters.sentPackets() - sent[p];
      long newBytes = counters.sentBytes() - sentBytes[p];
      long newDropped = counters.droppedPackets() - dropped[p];
      long newOver = queue.overThreshold() - over[p];
      boolean isIdle = newSent + newDropped == 0 && wasEmpty[p] && queue.packets() == 0;
      if (isIdle && nowNanos - reportedNanos[p] < IDLE_NANOS) {
        continue;
      }
      reportedNanos[p] = nowNanos;
      wasEmpty[p] = queue.packets() == 0;
      sent[p] += newSent;
      sentBytes[p] += newBytes;
      dropped[p] += newDropped;
      over[p] += newOver;
      PortQueueSample sample =
          PortQueueSample.of(
                  names.id(port),
                  newSent,
                  newBytes,
                  0,
                  newOver,
                  newDropped,
                  queue.packets(),
                  queue.bytes())
              .with(queue.limitPackets(), List.of(), List.of());
      queues.add(levels == null ? sample : levels.describe(port, sample));
    }
    return queues;
  }
}
