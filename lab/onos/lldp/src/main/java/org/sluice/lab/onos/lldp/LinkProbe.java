// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.lldp;

import java.nio.ByteBuffer;
import org.onlab.packet.Ethernet;
import org.onlab.packet.MacAddress;
import org.onlab.packet.ONOSLLDP;
import org.onosproject.cluster.ClusterMetadata;
import org.onosproject.net.AnnotationKeys;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;
import org.onosproject.net.Port;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.flow.TrafficTreatment;
import org.onosproject.net.link.DefaultLinkDescription;
import org.onosproject.net.link.LinkDescription;
import org.onosproject.net.link.ProbedLinkProvider;
import org.onosproject.net.packet.DefaultOutboundPacket;
import org.onosproject.net.packet.InboundPacket;
import org.onosproject.net.packet.OutboundPacket;

/**
 * The frames that find links: LLDP stays on one wire, BDDP also crosses foreign switches. They
 * carry the sender's device and port, the cluster's address and a signature.
 */
final class LinkProbe {

  private static final long MAX_DELAY_MILLIS = 1000;

  private final String secret;
  private final MacAddress source;

  LinkProbe(ClusterMetadata cluster) {
    this.secret = cluster.getClusterSecret();
    this.source = MacAddress.valueOf(ProbedLinkProvider.fingerprintMac(cluster));
  }

  /** Returns the frame that has where it left a device, LLDP's or BDDP's. */
  OutboundPacket of(Device device, Port port, short etherType) {
    String name = port.annotations().value(AnnotationKeys.PORT_NAME);
    ONOSLLDP content =
        ONOSLLDP.onosSecureLLDP(
            device.id().toString(),
            device.chassisId(),
            (int) port.number().toLong(),
            name == null ? "" : name,
            secret);
    Ethernet frame = new Ethernet();
    frame.setEtherType(etherType);
    frame.setSourceMACAddress(source);
    frame.setDestinationMACAddress(
        etherType == Ethernet.TYPE_LLDP ? MacAddress.ONOS_LLDP : MacAddress.BROADCAST);
    frame.setPad(true);
    frame.setPayload(content);
    TrafficTreatment out = DefaultTrafficTreatment.builder().setOutput(port.number()).build();
    return new DefaultOutboundPacket(device.id(), out, ByteBuffer.wrap(frame.serialize()));
  }

  /** Returns the link that a received probe shows, null when it is no probe of this cluster. */
  LinkDescription linkShownBy(InboundPacket packet) {
    Ethernet frame = packet.parsed();
    ONOSLLDP content = ONOSLLDP.parseONOSLLDP(frame);
    if (content == null
        || !frame.getSourceMAC().equals(source)
        || !ONOSLLDP.verify(content, secret, MAX_DELAY_MILLIS)) {
      return null;
    }
    ConnectPoint from =
        new ConnectPoint(
            DeviceId.deviceId(content.getDeviceString()), PortNumber.portNumber(content.getPort()));
    boolean direct = frame.getEtherType() == Ethernet.TYPE_LLDP;
    return new DefaultLinkDescription(
        from, packet.receivedFrom(), direct ? Link.Type.DIRECT : Link.Type.INDIRECT);
  }
}
