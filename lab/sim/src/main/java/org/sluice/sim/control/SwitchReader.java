// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.Engine;
import org.sluice.engine.marks.Signals;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;

/**
 * Reads switches for the controller: mark meters and port counters, or the queues of port agents.
 * Each switch is read every T_i, but at most every 5 ms, in a phase of its own, over a channel of
 * its own.
 */
final class SwitchReader {
  private static final long SHORTEST_NANOS = 5_000_000L;

  private final Network network;
  private final NetworkPaths paths;
  private final Controller controller;
  private final Signals signals;
  private final long periodNanos;
  private final List<Reading> readings = new ArrayList<>();

  SwitchReader(
      Network network,
      NetworkPaths paths,
      Controller controller,
      SluiceParameters parameters,
      ControlChannels channels) {
    this.network = network;
    this.paths = paths;
    this.controller = controller;
    this.signals = parameters.engine().signals();
    this.periodNanos = Math.max(SHORTEST_NANOS, parameters.engine().controlPeriodNanos());
    if (signals != Signals.HOSTS) {
      for (Switch s : network.switches()) {
        readings.add(new Reading(s, channels));
      }
    }
  }

  /** Gives an engine the links and meters, and starts to read. */
  void begin(Engine engine) {
    Map<PortId, PortId> peers = new HashMap<>();
    Map<String, Map<Long, Long>> meters = new HashMap<>();
    for (Switch s : network.switches()) {
      for (Port port : s.ports()) {
        if (port.peer() instanceof Switch next) {
          long entrance = port.peerPort();
          peers.put(paths.id(port), PortId.of(next.name(), entrance));
          meters.computeIfAbsent(next.name(), none -> new HashMap<>()).put(entrance, entrance);
        }
      }
    }
    engine.setLinks(peers);
    engine.setMarkMeters(meters);
    readings.forEach(Reading::begin);
  }

  void end() {
    readings.forEach(reading -> network.scheduler().disarm(reading));
  }

  private final class Reading extends Event {
    private final Switch read;
    private final ControlChannel channel;
    private final long phaseNanos;
    private final long[] marks;
    private final long[] sent;
    private final long[] dropped;
    private final long[] over;
    private long lastNanos;

    Reading(Switch read, ControlChannels channels) {
      this.read = read;
      this.channel = channels.withStream("counter channel " + read.name());
      this.phaseNanos = network.random().stream("counters " + read.name()).nextLong(periodNanos);
      this.marks = new long[read.ports().size()];
      this.sent = new long[marks.length];
      this.dropped = new long[marks.length];
      this.over = new long[marks.length];
    }

    /** What was counted before is left out. */
    void begin() {
      lastNanos = network.scheduler().now();
      update(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), 1);
      network.scheduler().arm(this, lastNanos + 1 + phaseNanos);
    }

    @Override
    protected void fire() {
      long now = network.scheduler().now();
      long interval = now - lastNanos;
      lastNanos = now;
      List<MeterSample> meters = new ArrayList<>();
      List<PortSample> ports = new ArrayList<>();
      List<PortQueueSample> queues = new ArrayList<>();
      update(meters, ports, queues, interval);
      long session = controller.session();
      channel.send(
          () -> {
            long received = network.scheduler().now();
            if (signals != Signals.PORTS) {
              controller.take(session, meters, ports);
            }
            if (signals != Signals.METERS) {
              HostId agent = HostId.of("queues-of-" + read.name());
              controller.take(session, PortQueueObservation.of(agent, received, interval, queues));
            }
          });
      network.scheduler().arm(this, now + periodNanos);
    }

    private void update(
        List<MeterSample> meters,
        List<PortSample> ports,
        List<PortQueueSample> queues,
        long interval) {
      for (int p = 0; p < marks.length; p++) {
        Port port = read.ports().get(p);
        long newMarks = read.ceReceived(p) - marks[p];
        long newSent = port.counters().sentPackets() - sent[p];
        long newDropped = port.counters().droppedPackets() - dropped[p];
        long newOver = port.queue().overThreshold() - over[p];
        marks[p] += newMarks;
        sent[p] += newSent;
        dropped[p] += newDropped;
        over[p] += newOver;
        meters.add(MeterSample.of(read.name(), p, newMarks, 0, interval));
        ports.add(
            PortSample.builder(paths.id(port)).txPackets(newSent).intervalNanos(interval).build());
        queues.add(PortQueueSample.of(paths.id(port), newSent, 0, 0, newOver, newDropped, 0, 0));
      }
    }
  }
}
