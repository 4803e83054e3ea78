// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.switchflows;

import java.util.Optional;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPacket;
import org.onlab.packet.IPv4;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.IpAddress;
import org.onlab.packet.TCP;
import org.sluice.api.deadline.FlowKey;
import org.sluice.onos.topology.OnosTypes;

/** What a TCP segment says of its connection. */
final class Segment {
  private static final int FIN = 0x01;
  private static final int SYN = 0x02;
  private static final int RST = 0x04;

  private final FlowKey connection;
  private final int flags;

  private Segment(FlowKey connection, int flags) {
    this.connection = connection;
    this.flags = flags;
  }

  /** Reads a frame; empty if it is no TCP between two addresses. */
  static Optional<Segment> parse(Ethernet frame) {
    IPacket packet = frame == null ? null : frame.getPayload();
    if (packet instanceof IPv4) {
      IPv4 ip = (IPv4) packet;
      return parse(
          Ip4Address.valueOf(ip.getSourceAddress()),
          Ip4Address.valueOf(ip.getDestinationAddress()),
          ip.getPayload());
    }
    if (packet instanceof IPv6) {
      IPv6 ip = (IPv6) packet;
      return parse(
          Ip6Address.valueOf(ip.getSourceAddress()),
          Ip6Address.valueOf(ip.getDestinationAddress()),
          ip.getPayload());
    }
    return Optional.empty();
  }

  private static Optional<Segment> parse(IpAddress source, IpAddress destination, IPacket payload) {
    if (!(payload instanceof TCP) || source.equals(destination)) {
      return Optional.empty();
    }
    TCP tcp = (TCP) payload;
    FlowKey connection =
        FlowKey.of(
            OnosTypes.ip(source),
            tcp.getSourcePort(),
            OnosTypes.ip(destination),
            tcp.getDestinationPort());
    return connection.isExact()
        ? Optional.of(new Segment(connection, tcp.getFlags()))
        : Optional.empty();
  }

  /** In the direction in which it went. */
  FlowKey connection() {
    return connection;
  }

  boolean begins() {
    return (flags & SYN) != 0 && !ends();
  }

  boolean ends() {
    return (flags & (FIN | RST)) != 0;
  }
}
