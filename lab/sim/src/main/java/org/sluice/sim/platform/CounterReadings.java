// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.PortCounters;
import org.sluice.sim.network.Switch;

/** What one reader of a switch's counters has read last, and what came since. */
final class CounterReadings {
  private static final long NEVER = -1;
  private static final int RX_PACKETS = 0;
  private static final int RX_BYTES = 1;
  private static final int TX_PACKETS = 2;
  private static final int TX_BYTES = 3;
  private static final int DROPPED = 4;

  private final Switch read;
  private final String datapath;

  // By port:
  private final long[][] portCounters;
  private final long[] portNanos;
  private final long[] marks;
  private final long[] marksNanos;

  CounterReadings(Switch read, String datapath) {
    this.read = read;
    this.datapath = datapath;
    int ports = read.ports().size();
    portCounters = new long[ports][DROPPED + 1];
    portNanos = new long[ports];
    marks = new long[ports];
    marksNanos = new long[ports];
    forget();
  }

  /** The meter that counts marked packets that come in by a port. */
  static long markMeter(int port) {
    return port + 1L;
  }

  int ports() {
    return portNanos.length;
  }

  /** What is read next is the first reading. */
  void forget() {
    for (int i = 0; i < portNanos.length; i++) {
      portNanos[i] = NEVER;
      marksNanos[i] = NEVER;
    }
  }

  /** Reads a port; empty at first. */
  Optional<PortSample> port(int number, long nowNanos) {
    Port port = read.ports().get(number);
    PortCounters sent = port.counters();
    PortCounters received = port.opposite().counters(); // What comes in is what that end sends.
    long[] before = portCounters[number];
    long interval = nowNanos - portNanos[number];
    Optional<PortSample> sample =
        portNanos[number] == NEVER || interval == 0
            ? Optional.empty()
            : Optional.of(
                PortSample.builder(PortId.of(datapath, number))
                    .rxPackets(received.sentPackets() - before[RX_PACKETS])
                    .rxBytes(received.sentBytes() - before[RX_BYTES])
                    .txPackets(sent.sentPackets() - before[TX_PACKETS])
                    .txBytes(sent.sentBytes() - before[TX_BYTES])
                    .txDroppedPackets(sent.droppedPackets() - before[DROPPED])
                    .intervalNanos(interval)
                    .build());
    before[RX_PACKETS] = received.sentPackets();
    before[RX_BYTES] = received.sentBytes();
    before[TX_PACKETS] = sent.sentPackets();
    before[TX_BYTES] = sent.sentBytes();
    before[DROPPED] = sent.droppedPackets();
    portNanos[number] = nowNanos;
    return sample;
  }

  /** Reads the meter of what comes in marked by a port; empty at first. Packets alone count. */
  Optional<MeterSample> meter(int inPort, long nowNanos) {
    long counted = read.ceReceived(inPort);
    long interval = nowNanos - marksNanos[inPort];
    Optional<MeterSample> sample =
        marksNanos[inPort] == NEVER || interval == 0
            ? Optional.empty()
            : Optional.of(
                MeterSample.of(datapath, markMeter(inPort), counted - marks[inPort], 0, interval));
    marks[inPort] = counted;
    marksNanos[inPort] = nowNanos;
    return sample;
  }
}
