// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.List;
import org.sluice.sim.network.Port;

/** What ports have sent, and what waits at them, read at every time of a timeline. */
public final class PortSeries {
  private final String name;
  private final double capacityBitsPerSecond;
  private Port[] ports;
  private final Timeline timeline;
  private final long[] sentBytes;
  private final int[] waitingPackets;

  PortSeries(String name, List<Port> ports, Timeline timeline) {
    this.name = name;
    this.ports = ports.toArray(Port[]::new);
    this.capacityBitsPerSecond = ports.stream().mapToDouble(Port::rateBitsPerSecond).sum();
    this.timeline = timeline;
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

  /** Of all its ports together, bit/s. */
  double capacityBitsPerSecond() {
    return capacityBitsPerSecond;
  }

  /** IP bytes sent between two readings over what could have been sent. */
  public double utilisation(int from, int to) {
    double seconds = (to - from) * (timeline.binNanos() / 1e9);
    return (sentBytes[to] - sentBytes[from]) * 8 / (seconds * capacityBitsPerSecond);
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

  long markedPackets() {
    long sum = 0;
    for (Port port : ports) {
      sum += port.queue().marked();
    }
    return sum;
  }
}
