// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import org.onlab.packet.ARP;
import org.onlab.packet.DeserializationException;
import org.onlab.packet.Ethernet;
import org.onlab.packet.IPv6;
import org.onlab.packet.Ip4Address;
import org.onlab.packet.Ip6Address;
import org.onlab.packet.MacAddress;
import org.onlab.packet.VlanId;
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
                VlanId.NONE)
            .serialize());
  }

  /** A frame as it comes off the wire. */
  static Ethernet parse(byte[] frame) {
    try {
      return Ethernet.deserializer().deserialize(frame, 0, frame.length);
    } catch (DeserializationException e) {
      throw new IllegalStateException(e);
    }
  }
}
