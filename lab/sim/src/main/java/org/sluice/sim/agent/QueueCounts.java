// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.SwitchNames;

/** Reports what a switch's queues counted, in a phase of its own. */
public final class QueueCounts implements AgentFunction {
  private final Network network;
  private final HostId id;
  private final Switch watched;
  private final SwitchNames names;
  private final long periodNanos;
  private final long phaseNanos;
  private final AgentConnection connection;
  private final LevelQueues levels;
  private final Event report = Event.running(this::report);

  // By port: what was counted by the last report.
  private final long[] sent;
  private final long[] dropped;
  private final long[] over;
  private long lastNanos;

  /**
   * @param periodNanos between two reports, above 0
   * @param levels of its ports; null if they have one queue each
   */
  public QueueCounts(
      Network network,
      Switch watched,
      SwitchNames names,
      AgentConnection connection,
      long periodNanos,
      LevelQueues levels) {
    this.network = network;
    this.id = PortAgent.id(watched);
    this.watched = watched;
    this.names = names;
    this.periodNanos = periodNanos;
    this.phaseNanos = network.random().stream("counters " + watched.name()).nextLong(periodNanos);
    this.connection = connection;
    this.levels = levels;
    this.sent = new long[watched.ports().size()];
    this.dropped = new long[sent.length];
    this.over = new long[sent.length];
  }

  /** What was counted before is left out. */
  @Override
  public void sessionBegan() {
    lastNanos = network.scheduler().now();
    count();
    network.scheduler().arm(report, lastNanos + 1 + phaseNanos);
  }

  @Override
  public void sessionEnded() {
    network.scheduler().disarm(report);
  }

  @Override
  public void received(DownlinkMessage message) {
    // Its queues stay as they are.
  }

  private void report() {
    long now = network.scheduler().now();
    long interval = now - lastNanos;
    lastNanos = now;
    List<PortQueueSample> queues = count();
    connection.send(
        received ->
            UplinkMessage.ofPortQueues(PortQueueObservation.of(id, received, interval, queues)));
    network.scheduler().arm(report, now + periodNanos);
  }

  private List<PortQueueSample> count() {
    List<PortQueueSample> queues = new ArrayList<>(sent.length);
    for (int p = 0; p < sent.length; p++) {
      Port port = watched.ports().get(p);
      long newSent = port.counters().sentPackets() - sent[p];
      long newDropped = port.counters().droppedPackets() - dropped[p];
      long newOver = port.queue().overThreshold() - over[p];
      sent[p] += newSent;
      dropped[p] += newDropped;
      over[p] += newOver;
      PortQueueSample sample =
          PortQueueSample.of(names.id(port), newSent, 0, 0, newOver, newDropped, 0, 0);
      queues.add(levels == null ? sample : levels.describe(port, sample));
    }
    return queues;
  }
}
