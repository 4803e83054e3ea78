// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.spi.PlatformCounters;

/** Switches that are read as a test says, by the platform and over connections of their own. */
public final class FakeCounters implements PlatformCounters, CounterReader.Factory {
  /** By switch: which meter counts marked packets from which port. */
  public final Map<String, Map<Long, Long>> markMeters = new HashMap<>();

  public final Map<String, CounterTargets> targets = new TreeMap<>();
  public final TreeSet<String> connected = new TreeSet<>();
  public final List<PortId> watched = new ArrayList<>();

  /** The TCP ports on which switches were awaited, one after the other. */
  public final List<Integer> opened = new ArrayList<>();

  private final List<CounterListener> platformListeners = new CopyOnWriteArrayList<>();
  private CounterListener readerListener;
  private int refusals;

  /** So many times the port for fast counters cannot be had. */
  public void refuse(int times) {
    refusals = times;
  }

  /** Whether a reader awaits switches. */
  public boolean isOpen() {
    return readerListener != null;
  }

  /** A switch's own connection brings a sample. */
  public void read(MeterSample sample) {
    readerListener.meterRead(sample);
  }

  /** A switch's own connection brings a sample. */
  public void read(PortSample sample) {
    readerListener.portRead(sample);
  }

  /** The platform has polled a port. */
  public void poll(PortSample sample) {
    platformListeners.forEach(listener -> listener.portRead(sample));
  }

  @Override
  public Map<Long, Long> markMeters(String datapath) {
    return markMeters.getOrDefault(datapath, Map.of());
  }

  @Override
  public void addListener(CounterListener listener) {
    platformListeners.add(listener);
  }

  @Override
  public void removeListener(CounterListener listener) {
    platformListeners.remove(listener);
  }

  @Override
  public CounterReader start(int port, CounterListener listener) throws SluiceException {
    if (refusals > 0) {
      refusals--;
      throw SluiceException.conflict(
          "fastCountersPort", port, "The port is taken", "Choose another one");
    }
    readerListener = listener;
    opened.add(port);
    return new FakeReader(port);
  }

  private final class FakeReader implements CounterReader {
    private final int port;

    FakeReader(int port) {
      this.port = port;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public void read(String datapath, CounterTargets wanted) {
      targets.put(datapath, wanted);
    }

    @Override
    public void stopReading(String datapath) {
      targets.remove(datapath);
    }

    @Override
    public void watch(PortId id, long forNanos) {
      watched.add(id);
    }

    @Override
    public boolean isConnected(String datapath) {
      return connected.contains(datapath);
    }

    @Override
    public List<SwitchCounters> switches() {
      List<SwitchCounters> all = new ArrayList<>();
      connected.forEach(
          datapath -> all.add(SwitchCounters.builder(datapath).connected(true).build()));
      return all;
    }

    @Override
    public void close() {
      readerListener = null;
      targets.clear();
    }
  }
}
