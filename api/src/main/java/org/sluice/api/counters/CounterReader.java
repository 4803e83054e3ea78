// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

import java.util.List;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;

/** Awaits switches and reads the counters of those that it is given, until it is closed. */
public interface CounterReader extends AutoCloseable {

  /** The port of a reader that uses connections which switches have anyway. */
  int NO_PORT = 0;

  /** The TCP port it listens on, or {@link #NO_PORT}. */
  int port();

  /**
   * Reads these ports and meters of a switch from now on, as soon as it is connected.
   *
   * @param datapath the switch ({@code of:0000000000000001})
   */
  void read(String datapath, CounterTargets targets);

  /** Reads nothing of a switch any more; its connection stays. */
  void stopReading(String datapath);

  /**
   * Reads a port every 5 ms for a while, because its neighbour counted marks or for another reason
   * that its own counters do not show. A switch that is not read is left alone.
   *
   * @param forNanos from now on, nanoseconds
   */
  void watch(PortId port, long forNanos);

  /** Whether a switch is connected. */
  boolean isConnected(String datapath);

  /** The connected switches, by name. */
  List<SwitchCounters> switches();

  /** Stops listening, ends every connection, and returns when no thread of its own is left. */
  @Override
  void close();

  /** Starts one. */
  interface Factory {
    /**
     * Awaits switches.
     *
     * @param port TCP; 0: any that is free
     * @param listener takes every sample; it must not wait
     * @throws SluiceException if the port cannot be had
     */
    CounterReader start(int port, CounterListener listener) throws SluiceException;
  }
}
