// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.frame;

import java.nio.ByteBuffer;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;

/** Frames that hosts send. */
public final class Frames {
  private static final MacAddress BROADCAST = MacAddress.parse("ff:ff:ff:ff:ff:ff");
  private static final MacAddress SOMEBODY = MacAddress.parse("02:00:00:00:01:99");
  private static final int UDP = 17;
  private static final int HEADER_BYTES = 20;

  private Frames() {}

  /** "Who has this address?" */
  public static byte[] question(String mac, String sender, String target) {
    return NeighbourMessage.arp(
        new byte[0],
        NeighbourMessage.ARP_REQUEST,
        MacAddress.parse(mac),
        IpAddress.parse(sender),
        BROADCAST,
        new byte[6],
        IpAddress.parse(target));
  }

  /** The answer to a question. */
  public static byte[] answer(String mac, String ip, byte[] question) {
    return answerTo(message(question).sender(), mac, ip, question);
  }

  /** An answer to a question that names somebody else as the one whom it is for. */
  public static byte[] answerTo(IpAddress target, String mac, String ip, byte[] question) {
    MacAddress to = message(question).senderMac();
    return NeighbourMessage.arp(
        new byte[0],
        NeighbourMessage.ARP_REPLY,
        MacAddress.parse(mac),
        IpAddress.parse(ip),
        to,
        to.toBytes(),
        target);
  }

  /** "Who has this address?", in IPv6. */
  public static byte[] solicitation(String mac, String sender, String target) {
    return NeighbourMessage.solicitation(
        MacAddress.parse(mac), IpAddress.parse(sender), IpAddress.parse(target));
  }

  /** The answer to a question, in IPv6, on behalf of the address that it names. */
  public static byte[] advertisement(String mac, byte[] question) {
    return message(question).answer(MacAddress.parse(mac));
  }

  /** A UDP packet. */
  public static byte[] packet(String mac, String source, String destination) {
    return ipv4(mac, source, destination, UDP, new byte[8]);
  }

  /** A TCP segment with these flags. */
  public static byte[] segment(
      String mac, String source, int sourcePort, String destination, int port, int flags) {
    byte[] tcp =
        ByteBuffer.allocate(HEADER_BYTES)
            .putShort(0, (short) sourcePort)
            .putShort(2, (short) port)
            .put(12, (byte) (HEADER_BYTES / 4 << 4))
            .put(13, (byte) flags)
            .array();
    return ipv4(mac, source, destination, EthernetFrame.PROTOCOL_TCP, tcp);
  }

  private static byte[] ipv4(
      String mac, String source, String destination, int protocol, byte[] payload) {
    return ByteBuffer.allocate(14 + HEADER_BYTES + payload.length)
        .put(SOMEBODY.toBytes())
        .put(MacAddress.parse(mac).toBytes())
        .putShort((short) EthernetFrame.TYPE_IPV4)
        .put((byte) 0x45)
        .put((byte) 0)
        .putShort((short) (HEADER_BYTES + payload.length))
        .putInt(0)
        .put((byte) 64)
        .put((byte) protocol)
        .putShort((short) 0)
        .put(IpAddress.parse(source).toBytes())
        .put(IpAddress.parse(destination).toBytes())
        .put(payload)
        .array();
  }

  /** A neighbour's message, which a frame is. */
  public static NeighbourMessage message(byte[] frame) {
    return EthernetFrame.parse(frame).flatMap(NeighbourMessage::parse).orElseThrow();
  }

  /** What a frame carries, such as {@link EthernetFrame#TYPE_ARP}. */
  public static int type(byte[] frame) {
    return EthernetFrame.parse(frame).orElseThrow().type();
  }
}
