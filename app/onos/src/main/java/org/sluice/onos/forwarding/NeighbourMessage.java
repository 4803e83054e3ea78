// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.onlab.packet.ARP;
import org.onlab.packet.Ethernet;
import org.onlab.packet.ICMP6;
import org.onlab.packet.IPacket;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.onlab.packet.VlanId;
import org.onlab.packet.ndp.NeighborAdvertisement;
import org.onlab.packet.ndp.NeighborSolicitation;
import org.onosproject.net.ConnectPoint;

/**
 * "Who has this address?", or the answer: ARP (RFC 826) and IPv6 neighbour discovery (RFC 4861)
 * alike.
 */
final class NeighbourMessage {
  /** How the senders of our questions begin: locally administered, no host's. */
  private static final byte[] PROBE_PREFIX = {0x0a, 0x53, 0x6c};

  private final Ethernet frame;
  private final boolean question;
  private final IpAddress sender;
  private final IpAddress target;

  private NeighbourMessage(Ethernet frame, boolean question, IpAddress sender, IpAddress target) {
    this.frame = frame;
    this.question = question;
    this.sender = sender;
    this.target = target;
  }

  /** Reads a frame; empty if it is something else. */
  static Optional<NeighbourMessage> parse(Ethernet frame) {
    if (frame.getPayload() instanceof ARP) {
      ARP arp = (ARP) frame.getPayload();
      if (!isOfIpv4OverEthernet(arp)) {
        return Optional.empty();
      }
      return Optional.of(
          new NeighbourMessage(
              frame,
              arp.getOpCode() == ARP.OP_REQUEST,
              Ip4Address.valueOf(arp.getSenderProtocolAddress()),
              Ip4Address.valueOf(arp.getTargetProtocolAddress())));
    }
    if (!(frame.getPayload() instanceof IPv6)) {
      return Optional.empty();
    }
    IPv6 ip = (IPv6) frame.getPayload();
    IPacket icmp = ip.getPayload();
    IPacket body = icmp instanceof ICMP6 ? icmp.getPayload() : null;
    if (body instanceof NeighborSolicitation) {
      return Optional.of(
          new NeighbourMessage(
              frame,
              true,
              Ip6Address.valueOf(ip.getSourceAddress()),
              Ip6Address.valueOf(((NeighborSolicitation) body).getTargetAddress())));
    }
    if (body instanceof NeighborAdvertisement) {
      return Optional.of(
          new NeighbourMessage(
              frame,
              false,
              Ip6Address.valueOf(((NeighborAdvertisement) body).getTargetAddress()),
              Ip6Address.valueOf(ip.getDestinationAddress())));
    }
    return Optional.empty();
  }

  /** The only form of ARP with which neighbours are requested here; others name their lengths. */
  private static boolean isOfIpv4OverEthernet(ARP arp) {
    return arp.getProtocolType() == ARP.PROTO_TYPE_IP
        && arp.getProtocolAddressLength() == Ip4Address.BYTE_LENGTH
        && arp.getHardwareAddressLength() == MacAddress.MAC_ADDRESS_LENGTH;
  }

  Ethernet frame() {
    return frame;
  }

  boolean isQuestion() {
    return question;
  }

  /** Whose address the message itself shows; zero in a check for duplicates. */
  IpAddress sender() {
    return sender;
  }

  MacAddress senderMac() {
    return frame.getSourceMAC();
  }

  /** Which address is requested, or whom the answer is for. */
  IpAddress target() {
    return target;
  }

  /** The answer to this question, on behalf of the address's owner. */
  Ethernet answer(MacAddress owner) {
    return target.isIp4()
        ? ARP.buildArpReply(target.getIp4Address(), owner, frame)
        : NeighborAdvertisement.buildNdpAdv(target.getIp6Address(), owner, frame);
  }

  /**
   * The sender of our questions at a port. Every port has its own, so that an answer shows where
   * its question went out.
   */
  static MacAddress probeMac(ConnectPoint port) {
    int hash = 31 * port.deviceId().toString().hashCode() + Long.hashCode(port.port().toLong());
    ByteBuffer mac = ByteBuffer.allocate(MacAddress.MAC_ADDRESS_LENGTH).put(PROBE_PREFIX);
    hash ^= hash >>> 24;
    mac.put((byte) (hash >>> 16)).put((byte) (hash >>> 8)).put((byte) hash);
    return MacAddress.valueOf(mac.array());
  }

  /** Whether a question of ours was sent from there. */
  static boolean isProbeMac(MacAddress mac) {
    return Arrays.equals(
        PROBE_PREFIX, 0, PROBE_PREFIX.length, mac.toBytes(), 0, PROBE_PREFIX.length);
  }

  /**
   * A question of ours, to be sent out of a port. It teaches nobody anything: ARP shows no sender
   * address (RFC 5227 section 2.1.1), neighbour discovery a link-local one, since without any it
   * would check for duplicates.
   */
  static Ethernet probe(IpAddress target, ConnectPoint port) {
    MacAddress mac = probeMac(port);
    if (target.isIp4()) {
      return ARP.buildArpRequest(
          mac.toBytes(),
          Ip4Address.ZERO.toOctets(),
          MacAddress.ZERO.toBytes(),
          target.toOctets(),
          MacAddress.BROADCAST.toBytes(),
          VlanId.NONE.toShort());
    }
    Ip6Address group = Ip6Address.valueOf(IPv6.getSolicitNodeAddress(target.toOctets()));
    return NeighborSolicitation.buildNdpSolicit(
        target.getIp6Address(),
        probeAddress(mac),
        group,
        mac,
        MacAddress.valueOf(IPv6.getMCastMacAddress(group.toOctets())),
        VlanId.NONE);
  }

  private static Ip6Address probeAddress(MacAddress mac) {
    return Ip6Address.valueOf(IPv6.getLinkLocalAddress(mac.toBytes()));
  }

  /**
   * Whether this answers a question of ours that went out of a port. No switch passes such an
   * answer on to another: there is no route to whom it is for.
   */
  boolean answersProbe(ConnectPoint port) {
    MacAddress mac = probeMac(port);
    return !question
        && frame.getDestinationMAC().equals(mac)
        && (target.isIp4() ? target.isZero() : target.equals(probeAddress(mac)));
  }
}
