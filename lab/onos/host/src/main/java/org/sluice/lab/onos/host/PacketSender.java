// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.host;

import java.util.Set;
import org.onlab.packet.ARP;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IpAddress;
import org.onlab.packet.MacAddress;
import org.onlab.packet.VlanId;
import org.onosproject.net.HostId;
import org.onosproject.net.HostLocation;
import org.onosproject.net.host.DefaultHostDescription;
import org.onosproject.net.host.HostDescription;
import org.onosproject.net.packet.InboundPacket;

/** What one packet shows of its sender: ARP its IP address and place, IP its place only. */
final class PacketSender {

  private final HostId id;
  private final HostDescription description;

  private PacketSender(HostId id, HostDescription description) {
    this.id = id;
    this.description = description;
  }

  /** Returns null when the packet shows nothing of a host. */
  static PacketSender in(InboundPacket packet) {
    Ethernet frame = packet.parsed();
    MacAddress mac = frame.getSourceMAC();
    if (mac.isBroadcast() || mac.isMulticast() || packet.receivedFrom().port().isLogical()) {
      return null;
    }
    if (frame.getEtherType() == Ethernet.TYPE_ARP) {
      return at(packet, frame, addressIn((ARP) frame.getPayload()));
    }
    return frame.getEtherType() == Ethernet.TYPE_IPV4 ? at(packet, frame, Set.of()) : null;
  }

  private static Set<IpAddress> addressIn(ARP arp) {
    IpAddress ip = IpAddress.valueOf(IpAddress.Version.INET, arp.getSenderProtocolAddress());
    return ip.isZero() || ip.isSelfAssigned() ? Set.of() : Set.of(ip);
  }

  private static PacketSender at(InboundPacket packet, Ethernet frame, Set<IpAddress> addresses) {
    VlanId vlan = VlanId.vlanId(frame.getVlanID());
    HostLocation place = new HostLocation(packet.receivedFrom(), System.currentTimeMillis());
    return new PacketSender(
        HostId.hostId(frame.getSourceMAC(), vlan),
        new DefaultHostDescription(frame.getSourceMAC(), vlan, Set.of(place), addresses, false));
  }

  HostId id() {
    return id;
  }

  HostDescription description() {
    return description;
  }
}
