// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.nio.ByteBuffer;
import org.onlab.packet.ARP;
import org.onlab.packet.DeserializationException;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv4;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.MacAddress;
import org.onlab.packet.TCP;
import org.onlab.packet.UDP;
import org.onlab.packet.VlanId;
import org.onlab.packet.ndp.NeighborAdvertisement;
import org.onlab.packet.ndp.NeighborSolicitation;

/** Frames that hosts send. */
public final class Frames {
  private Frames() {}

  /** "Who has this address?" */
  public static Ethernet question(String mac, String sender, String target) {
    return ARP.buildArpRequest(
        MacAddress.valueOf(mac).toBytes(),
        Ip4Address.valueOf(sender).toOctets(),
        Ip4Address.valueOf(target).toOctets(),
        VlanId.NONE.toShort());
  }

  /** The answer to a question. */
  public static Ethernet answer(String mac, String ip, Ethernet question) {
    return ARP.buildArpReply(Ip4Address.valueOf(ip), MacAddress.valueOf(mac), question);
  }

  /** "Who has this address?", in IPv6. */
  public static Ethernet solicitation(String mac, String sender, String target) {
    Ip6Address asked = Ip6Address.valueOf(target);
    Ip6Address group = Ip6Address.valueOf(IPv6.getSolicitNodeAddress(asked.toOctets()));
    return parse(
        NeighborSolicitation.buildNdpSolicit(
            asked,
            Ip6Address.valueOf(sender),
            group,
            MacAddress.valueOf(mac),
            MacAddress.valueOf(IPv6.getMCastMacAddress(group.toOctets())),
            VlanId.NONE));
  }

  /** The answer to a question, in IPv6. */
  public static Ethernet advertisement(String mac, String ip, Ethernet question) {
    return parse(
        NeighborAdvertisement.buildNdpAdv(
            Ip6Address.valueOf(ip), MacAddress.valueOf(mac), question));
  }

  /** The frame as it comes off the wire. */
  public static Ethernet parse(Ethernet frame) {
    return parse(ByteBuffer.wrap(frame.serialize()));
  }

  /** A UDP packet. */
  public static Ethernet packet(String mac, String source, String destination) {
    UDP udp = new UDP();
    udp.setSourcePort(1).setDestinationPort(2);
    IPv4 ip = new IPv4();
    ip.setSourceAddress(source)
        .setDestinationAddress(destination)
        .setTtl((byte) 64)
        .setProtocol(IPv4.PROTOCOL_UDP)
        .setPayload(udp);
    Ethernet frame = new Ethernet();
    frame
        .setSourceMACAddress(mac)
        .setDestinationMACAddress("02:00:00:00:01:99")
        .setEtherType(Ethernet.TYPE_IPV4)
        .setPayload(ip);
    return parse(frame);
  }

  /** A TCP segment with these flags. */
  public static Ethernet segment(
      String mac, String source, int sourcePort, String destination, int port, int flags) {
    TCP tcp = new TCP();
    tcp.setSourcePort(sourcePort).setDestinationPort(port).setFlags((short) flags);
    tcp.setDataOffset((byte) 5);
    Ethernet frame = packet(mac, source, destination);
    IPv4 ip = (IPv4) frame.getPayload();
    ip.setProtocol(IPv4.PROTOCOL_TCP).setPayload(tcp);
    ip.resetChecksum();
    return parse(frame);
  }

  /** A frame as it comes off the wire. */
  public static Ethernet parse(byte[] frame) {
    return parse(ByteBuffer.wrap(frame));
  }

  static Ethernet parse(ByteBuffer data) {
    byte[] bytes = new byte[data.remaining()];
    data.duplicate().get(bytes);
    try {
      return Ethernet.deserializer().deserialize(bytes, 0, bytes.length);
    } catch (DeserializationException e) {
      throw new IllegalStateException(e);
    }
  }
}
