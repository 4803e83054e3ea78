// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import java.util.List;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.SwitchCounters;

/** Awaits switches and reads them, until it is closed. */
public interface CounterReader extends AutoCloseable {

  int port();

  void read(String datapath, CounterTargets targets);

  void stopReading(String datapath);

  void watch(PortId port, long forNanos);

  boolean isConnected(String datapath);

  List<SwitchCounters> switches();

  @Override
  void close();

  /** Starts one. */
  interface Factory {
    /**
     * Awaits switches.
     *
     * @throws SluiceException if the port cannot be had
     */
    CounterReader start(int port, CounterListener listener) throws SluiceException;
  }
}
