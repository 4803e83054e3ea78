// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

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

/**
 * "Who has this address?", or the answer: ARP (RFC 826) and IPv6 neighbour discovery (RFC 4861)
 * alike.
 */
final class NeighbourMessage {
  /** The sender of our questions: locally administered, no host's. */
  static final MacAddress PROBE_MAC = MacAddress.valueOf("0a:53:6c:75:69:63");

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

  /** The only form of ARP with which neighbours are asked for here; others name their lengths. */
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

  /** Which address is asked about, or whom the answer is for. */
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
   * A question of ours. It teaches nobody anything: ARP shows no sender address (RFC 5227 section
   * 2.1.1), neighbour discovery a link-local one, since without any it would check for duplicates.
   */
  static Ethernet probe(IpAddress target) {
    if (target.isIp4()) {
      return ARP.buildArpRequest(
          PROBE_MAC.toBytes(),
          Ip4Address.ZERO.toOctets(),
          MacAddress.ZERO.toBytes(),
          target.toOctets(),
          MacAddress.BROADCAST.toBytes(),
          VlanId.NONE.toShort());
    }
    Ip6Address group = Ip6Address.valueOf(IPv6.getSolicitNodeAddress(target.toOctets()));
    return NeighborSolicitation.buildNdpSolicit(
        target.getIp6Address(),
        Ip6Address.valueOf(IPv6.getLinkLocalAddress(PROBE_MAC.toBytes())),
        group,
        PROBE_MAC,
        MacAddress.valueOf(IPv6.getMCastMacAddress(group.toOctets())),
        VlanId.NONE);
  }
}
