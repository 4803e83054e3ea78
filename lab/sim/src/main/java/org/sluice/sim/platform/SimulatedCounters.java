// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;

/**
 * The counters of the network's switches: read over connections of the switches' own as the product
 * reads them, and by the platform every five seconds, as ONOS does.
 */
final class SimulatedCounters implements PlatformCounters, CounterReader.Factory {
  private static final long POLL_NANOS = 5_000_000_000L;

  private final Scheduler scheduler;
  private final SwitchNames names;
  private final Map<String, SwitchPoller> pollers = new LinkedHashMap<>();
  private final List<CounterListener> platformListeners = new CopyOnWriteArrayList<>();
  private final Map<String, CounterReadings> polled = new LinkedHashMap<>();
  private final Event poll = new Poll();

  SimulatedCounters(Scheduler scheduler, SwitchNames names, ControlChannels channels) {
    this.scheduler = scheduler;
    this.names = names;
    for (String datapath : names.datapaths()) {
      Switch read = names.switchOf(datapath);
      pollers.put(
          datapath,
          new SwitchPoller(
              scheduler,
              new CounterReadings(read, datapath),
              channels.open("counter requests " + read.name()),
              channels.open("counter replies " + read.name())));
      polled.put(datapath, new CounterReadings(read, datapath));
    }
  }

  /** The meters of inter-switch ports are numbered as these, from 1 on. */
  @Override
  public Map<Long, Long> markMeters(String datapath) {
    Map<Long, Long> meters = new HashMap<>();
    for (Port port : names.switchOf(datapath).ports()) {
      if (port.peer() instanceof Switch) {
        meters.put(CounterReadings.markMeter(port.index()), (long) port.index());
      }
    }
    return meters;
  }

  @Override
  public void addListener(CounterListener listener) {
    platformListeners.add(listener);
    if (!poll.isArmed()) {
      scheduler.armIn(poll, POLL_NANOS);
    }
  }

  @Override
  public void removeListener(CounterListener listener) {
    platformListeners.remove(listener);
    if (platformListeners.isEmpty()) {
      scheduler.disarm(poll);
    }
  }

  @Override
  public CounterReader start(int port, CounterListener listener) {
    pollers.values().forEach(poller -> poller.connect(listener));
    return new Reader(port);
  }

  private final class Poll extends Event {
    @Override
    protected void fire() {
      long now = scheduler.now();
      for (CounterReadings readings : polled.values()) {
        for (int i = 0; i < readings.ports(); i++) {
          readings
              .port(i, now)
              .ifPresent(
                  sample -> platformListeners.forEach(listener -> listener.portRead(sample)));
        }
      }
      scheduler.armIn(this, POLL_NANOS);
    }
  }

  private final class Reader implements CounterReader {
    private final int port;

    Reader(int port) {
      this.port = port;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public void read(String datapath, CounterTargets targets) {
      pollers.get(datapath).read(targets);
    }

    @Override
    public void stopReading(String datapath) {
      pollers.get(datapath).stopReading();
    }

    @Override
    public void watch(PortId watched, long forNanos) {
      pollers.get(watched.datapath()).watch(watched.number(), forNanos);
    }

    @Override
    public boolean isConnected(String datapath) {
      return pollers.containsKey(datapath);
    }

    @Override
    public List<SwitchCounters> switches() {
      List<SwitchCounters> all = new ArrayList<>();
      pollers
          .keySet()
          .forEach(datapath -> all.add(SwitchCounters.builder(datapath).connected(true).build()));
      return all;
    }

    @Override
    public void close() {
      pollers.values().forEach(SwitchPoller::disconnect);
    }
  }
}
