// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.List;
import org.sluice.sim.network.Port;

/** What ports have sent, and what waits at them, read at every time of a timeline. */
public final class PortSeries {
  private final String name;
  private final double capacityBitsPerSecond;
  private final double[] possibleBits;
  private Port[] ports;
  private final Timeline timeline;
  private final long[] sentBytes;
  private final int[] waitingPackets;

  /** At the last reading, bit/s. */
  private double capacity;

  PortSeries(String name, List<Port> ports, Timeline timeline) {
    this.name = name;
    this.ports = ports.toArray(Port[]::new);
    this.capacityBitsPerSecond = ports.stream().mapToDouble(Port::rateBitsPerSecond).sum();
    this.timeline = timeline;
    this.possibleBits = new double[timeline.bins() + 1];
    this.sentBytes = new long[timeline.bins() + 1];
    this.waitingPackets = new int[timeline.bins() + 1];
  }

  void read(int reading) {
    long bytes = 0;
    int packets = 0;
    for (Port port : ports) {
      bytes += port.counters().sentBytes();
      packets += port.queue().packets();
    }
    double seconds = timeline.binNanos() / 1e9;
    possibleBits[reading] = reading == 0 ? 0 : possibleBits[reading - 1] + seconds * capacity;
    capacity = 0;
    for (Port port : ports) {
      capacity += port.isUp() ? port.rateBitsPerSecond() : 0;
    }
    sentBytes[reading] = bytes;
    waitingPackets[reading] = packets;
  }

  /** Lets go of the ports, and with them of the network; what was read remains. */
  void end() {
    ports = null;
  }

  public String name() {
    return name;
  }

  public Timeline timeline() {
    return timeline;
  }

  /** Of all its ports together at the start, bit/s. */
  double capacityBitsPerSecond() {
    return capacityBitsPerSecond;
  }

  /** IP bytes sent between two readings over what could have been sent, links being up. */
  public double utilisation(int from, int to) {
    return (sentBytes[to] - sentBytes[from]) * 8 / (possibleBits[to] - possibleBits[from]);
  }

  /** Packets waiting at the moment of a reading. */
  public int waitingPackets(int reading) {
    return waitingPackets[reading];
  }

  long droppedPackets() {
    long sum = 0;
    for (Port port : ports) {
      sum += port.counters().droppedPackets();
    }
    return sum;
  }

  long sentPackets() {
    long sum = 0;
    for (Port port : ports) {
      sum += port.counters().sentPackets();
    }
    return sum;
  }

  long markedPackets() {
    long sum = 0;
    for (Port port : ports) {
      sum += port.queue().marked();
    }
    return sum;
  }
}
