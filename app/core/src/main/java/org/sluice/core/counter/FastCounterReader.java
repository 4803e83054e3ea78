// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.List;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.openflow.FastCounters;
import org.sluice.openflow.FastCountersConfig;

/** The true reader. */
public final class FastCounterReader implements CounterReader {
  private final FastCounters counters;

  private FastCounterReader(FastCounters counters) {
    this.counters = counters;
  }

  /** Awaits switches on a TCP port. */
  public static CounterReader start(int port, CounterListener listener) throws SluiceException {
    return new FastCounterReader(
        FastCounters.start(FastCountersConfig.builder().port(port).build(), listener));
  }

  @Override
  public int port() {
    return counters.port();
  }

  @Override
  public void read(String datapath, CounterTargets targets) {
    counters.read(datapath, targets);
  }

  @Override
  public void stopReading(String datapath) {
    counters.stopReading(datapath);
  }

  @Override
  public void watch(PortId port, long forNanos) {
    counters.watch(port, forNanos);
  }

  @Override
  public boolean isConnected(String datapath) {
    return counters.isConnected(datapath);
  }

  @Override
  public List<SwitchCounters> switches() {
    return counters.switches();
  }

  @Override
  public void close() {
    counters.close();
  }
}
