// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.PortObserver;
import org.sluice.sim.packet.Packet;

/** Writes down what leaves a port. */
final class Departures implements PortObserver {
  record Departure(
      long nanos,
      long sequence,
      long acknowledgement,
      int payloadBytes,
      int ipBytes,
      int flags,
      byte ecn) {}

  final List<Departure> all = new ArrayList<>();

  @Override
  public void departed(Packet packet, long nowNanos) {
    all.add(
        new Departure(
            nowNanos,
            packet.sequence,
            packet.acknowledgement,
            packet.payloadBytes,
            packet.ipBytes,
            packet.flags,
            packet.ecn));
  }

  List<Departure> withPayload() {
    return all.stream().filter(each -> each.payloadBytes > 0).toList();
  }

  List<Departure> withPayload(long sequence) {
    return withPayload().stream().filter(each -> each.sequence == sequence).toList();
  }
}
