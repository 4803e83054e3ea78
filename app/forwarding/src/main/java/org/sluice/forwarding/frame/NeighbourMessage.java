// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.frame;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/**
 * "Who has this address?", or the answer: ARP (RFC 826) and IPv6 neighbour discovery (RFC 4861)
 * alike.
 */
public final class NeighbourMessage {
  public static final int ARP_REQUEST = 1;
  public static final int ARP_REPLY = 2;
  public static final int SOLICITATION = 135;
  public static final int ADVERTISEMENT = 136;

  /** How the senders of our questions begin: locally administered, no host's. */
  private static final byte[] PROBE_PREFIX = {0x0a, 0x53, 0x6c};

  private static final int ARP_BYTES = 28;
  private static final int HARDWARE_ETHERNET = 1;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  /** Of ICMPv6: type, code, checksum, flags, and the target that both messages name. */
  private static final int DISCOVERY_BYTES = 24;

  private static final int OPTION_BYTES = 8;
  private static final int SOURCE_ADDRESS_OPTION = 1;
  private static final int TARGET_ADDRESS_OPTION = 2;
  private static final int SOLICITED_AND_OVERRIDE = 0x60000000;

  /** RFC 4861 section 7.1: it shows that no router passed the message on. */
  private static final byte HOP_LIMIT = (byte) 255;

  private static final byte[] NO_TAGS = {};
  private static final byte[] NO_MAC = new byte[EthernetFrame.MAC_BYTES];
  private static final MacAddress BROADCAST = MacAddress.parse("ff:ff:ff:ff:ff:ff");
  private static final IpAddress ANY_4 = IpAddress.of(new byte[IPV4_BYTES]);

  private final EthernetFrame frame;
  private final boolean question;
  private final IpAddress sender;
  private final IpAddress target;

  private NeighbourMessage(
      EthernetFrame frame, boolean question, IpAddress sender, IpAddress target) {
    this.frame = frame;
    this.question = question;
    this.sender = sender;
    this.target = target;
  }

  /** Reads a frame; empty if it is something else. */
  public static Optional<NeighbourMessage> parse(EthernetFrame frame) {
    if (frame.type() == EthernetFrame.TYPE_ARP) {
      return isArpOfIpv4OverEthernet(frame)
          ? Optional.of(
              new NeighbourMessage(
                  frame,
                  frame.number(6) == ARP_REQUEST,
                  frame.ip(14, IPV4_BYTES),
                  frame.ip(24, IPV4_BYTES)))
          : Optional.empty();
    }
    if (frame.type() != EthernetFrame.TYPE_IPV6) {
      return Optional.empty();
    }
    return frame
        .ip()
        .filter(ip -> ip.protocol() == EthernetFrame.PROTOCOL_ICMPV6)
        .filter(ip -> frame.hasPayload(ip.headerBytes() + DISCOVERY_BYTES))
        .flatMap(ip -> discovery(frame, ip));
  }

  private static Optional<NeighbourMessage> discovery(EthernetFrame frame, EthernetFrame.Ip ip) {
    IpAddress named = frame.ip(ip.headerBytes() + 8, IPV6_BYTES);
    switch (frame.octet(ip.headerBytes())) {
      case SOLICITATION:
        return Optional.of(new NeighbourMessage(frame, true, ip.source(), named));
      case ADVERTISEMENT:
        return Optional.of(new NeighbourMessage(frame, false, named, ip.destination()));
      default:
        return Optional.empty();
    }
  }

  /** The only form of ARP with which neighbours are requested here; others name their lengths. */
  private static boolean isArpOfIpv4OverEthernet(EthernetFrame frame) {
    return frame.hasPayload(ARP_BYTES)
        && frame.number(2) == EthernetFrame.TYPE_IPV4
        && frame.octet(4) == EthernetFrame.MAC_BYTES
        && frame.octet(5) == IPV4_BYTES;
  }

  public EthernetFrame frame() {
    return frame;
  }

  public boolean isQuestion() {
    return question;
  }

  /** Whose address the message itself shows; zero in a check for duplicates. */
  public IpAddress sender() {
    return sender;
  }

  public MacAddress senderMac() {
    return frame.source();
  }

  /** Which address is requested, or whom the answer is for. */
  public IpAddress target() {
    return target;
  }

  /** The answer to this question, on behalf of the address's owner. */
  public byte[] answer(MacAddress owner) {
    return target.isIpv4()
        ? arp(
            frame.tags(),
            ARP_REPLY,
            owner,
            target,
            frame.source(),
            frame.source().toBytes(),
            sender)
        : icmp(
            frame.tags(),
            owner,
            frame.source(),
            target,
            sender,
            ADVERTISEMENT,
            SOLICITED_AND_OVERRIDE,
            target,
            TARGET_ADDRESS_OPTION);
  }

  /**
   * The sender of our questions at a port. Every port has its own, so that an answer shows where
   * its question went out.
   */
  public static MacAddress probeMac(PortId port) {
    int hash = 31 * port.datapath().hashCode() + Long.hashCode(port.number());
    ByteBuffer mac = ByteBuffer.allocate(EthernetFrame.MAC_BYTES).put(PROBE_PREFIX);
    hash ^= hash >>> 24;
    mac.put((byte) (hash >>> 16)).put((byte) (hash >>> 8)).put((byte) hash);
    return MacAddress.of(mac.array());
  }

  /** Whether a question of ours was sent from there. */
  public static boolean isProbeMac(MacAddress mac) {
    return Arrays.equals(
        PROBE_PREFIX, 0, PROBE_PREFIX.length, mac.toBytes(), 0, PROBE_PREFIX.length);
  }

  /**
   * A question of ours, to be sent out of a port. It teaches nobody anything: ARP shows no sender
   * address (RFC 5227 section 2.1.1), neighbour discovery a link-local one, since without any it
   * would check for duplicates.
   */
  public static byte[] probe(IpAddress target, PortId port) {
    MacAddress mac = probeMac(port);
    return target.isIpv4()
        ? arp(NO_TAGS, ARP_REQUEST, mac, ANY_4, BROADCAST, NO_MAC, target)
        : solicitation(mac, linkLocal(mac), target);
  }

  /** "Who has this address?", in IPv6, to the group of those that may (RFC 4861 section 4.3). */
  static byte[] solicitation(MacAddress mac, IpAddress sender, IpAddress target) {
    byte[] asked = target.toBytes();
    byte[] group = IpAddress.parse("ff02::1:ff00:0").toBytes();
    System.arraycopy(asked, 13, group, 13, 3);
    byte[] groupMac = {0x33, 0x33, group[12], group[13], group[14], group[15]};
    return icmp(
        NO_TAGS,
        mac,
        MacAddress.of(groupMac),
        sender,
        IpAddress.of(group),
        SOLICITATION,
        0,
        target,
        SOURCE_ADDRESS_OPTION);
  }

  /** The link-local address that belongs to a MAC address (RFC 4291 appendix A). */
  private static IpAddress linkLocal(MacAddress mac) {
    byte[] of = mac.toBytes();
    byte[] ip = new byte[IPV6_BYTES];
    ip[0] = (byte) 0xfe;
    ip[1] = (byte) 0x80;
    System.arraycopy(of, 0, ip, 8, 3);
    ip[8] ^= 2;
    ip[11] = (byte) 0xff;
    ip[12] = (byte) 0xfe;
    System.arraycopy(of, 3, ip, 13, 3);
    return IpAddress.of(ip);
  }

  /**
   * Whether this answers a question of ours that went out of a port. No switch passes such an
   * answer on to another: there is no route to whom it is for.
   */
  public boolean answersProbe(PortId port) {
    MacAddress mac = probeMac(port);
    return !question
        && frame.destination().equals(mac)
        && (target.isIpv4() ? target.equals(ANY_4) : target.equals(linkLocal(mac)));
  }

  /** ARP of IPv4 over Ethernet; {@code namedMac} is what the message names, not the frame. */
  static byte[] arp(
      byte[] tags,
      int operation,
      MacAddress from,
      IpAddress fromIp,
      MacAddress to,
      byte[] namedMac,
      IpAddress namedIp) {
    return ethernet(tags, from, to, EthernetFrame.TYPE_ARP, ARP_BYTES)
        .putShort((short) HARDWARE_ETHERNET)
        .putShort((short) EthernetFrame.TYPE_IPV4)
        .put((byte) EthernetFrame.MAC_BYTES)
        .put((byte) IPV4_BYTES)
        .putShort((short) operation)
        .put(from.toBytes())
        .put(fromIp.toBytes())
        .put(namedMac)
        .put(namedIp.toBytes())
        .array();
  }

  private static byte[] icmp(
      byte[] tags,
      MacAddress from,
      MacAddress to,
      IpAddress source,
      IpAddress destination,
      int type,
      int flags,
      IpAddress named,
      int option) {
    byte[] message =
        ByteBuffer.allocate(DISCOVERY_BYTES + OPTION_BYTES)
            .put((byte) type)
            .put((byte) 0)
            .putShort((short) 0) // The checksum, once all the rest is there.
            .putInt(flags)
            .put(named.toBytes())
            .put((byte) option)
            .put((byte) 1) // Eights of octets.
            .put(from.toBytes())
            .array();
    ByteBuffer.wrap(message).putShort(2, checksum(source, destination, message));
    return ethernet(
            tags,
            from,
            to,
            EthernetFrame.TYPE_IPV6,
            EthernetFrame.IPV6_HEADER_BYTES + message.length)
        .putInt(6 << 28)
        .putShort((short) message.length)
        .put((byte) EthernetFrame.PROTOCOL_ICMPV6)
        .put(HOP_LIMIT)
        .put(source.toBytes())
        .put(destination.toBytes())
        .put(message)
        .array();
  }

  /** As long as Ethernet requires it to be, with what does not fill it left to zeros. */
  private static ByteBuffer ethernet(
      byte[] tags, MacAddress from, MacAddress to, int type, int payloadBytes) {
    int bytes =
        EthernetFrame.ADDRESSES_BYTES + tags.length + EthernetFrame.TYPE_BYTES + payloadBytes;
    return ByteBuffer.allocate(Math.max(bytes, EthernetFrame.LEAST_BYTES))
        .put(to.toBytes())
        .put(from.toBytes())
        .put(tags)
        .putShort((short) type);
  }

  /** RFC 8200 section 8.1. */
  private static short checksum(IpAddress source, IpAddress destination, byte[] message) {
    ByteBuffer all =
        ByteBuffer.allocate(2 * IPV6_BYTES + 2 * Integer.BYTES + message.length)
            .put(source.toBytes())
            .put(destination.toBytes())
            .putInt(message.length)
            .putInt(EthernetFrame.PROTOCOL_ICMPV6)
            .put(message);
    int sum = 0;
    for (all.flip(); all.hasRemaining(); ) {
      sum += all.getShort() & 0xffff;
    }
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (short) ~sum;
  }
}
