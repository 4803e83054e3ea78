// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.onlab.packet.Ethernet;
import org.onosproject.mastership.MastershipService;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.Device;
import org.onosproject.net.Port;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.flow.DefaultTrafficTreatment;
import org.onosproject.net.packet.DefaultOutboundPacket;
import org.onosproject.net.packet.PacketService;
import org.sluice.onos.topology.TopologyView;

/** Ports behind which hosts may be, and the sending of packets out of them. */
final class EdgePorts {
  private final DeviceService devices;
  private final MastershipService mastership;
  private final TopologyView topology;
  private final PacketService packets;

  EdgePorts(
      DeviceService devices,
      MastershipService mastership,
      TopologyView topology,
      PacketService packets) {
    this.devices = devices;
    this.mastership = mastership;
    this.topology = topology;
    this.packets = packets;
  }

  boolean isEdge(ConnectPoint point) {
    return !point.port().isLogical() && !topology.interSwitchPorts().contains(point);
  }

  /** All edge ports that are up. */
  List<ConnectPoint> all() {
    List<ConnectPoint> found = up();
    found.removeIf(port -> !isEdge(port));
    return found;
  }

  /** All ports that are up of the switches whose master this node is. */
  List<ConnectPoint> ours() {
    List<ConnectPoint> found = up();
    found.removeIf(port -> !isOurs(port));
    return found;
  }

  boolean isOurs(ConnectPoint port) {
    return mastership.isLocalMaster(port.deviceId());
  }

  boolean isUp(ConnectPoint point) {
    Port port = devices.getPort(point);
    return port != null && port.isEnabled() && devices.isAvailable(point.deviceId());
  }

  private List<ConnectPoint> up() {
    List<ConnectPoint> found = new ArrayList<>();
    for (Device device : devices.getAvailableDevices()) {
      for (Port port : devices.getPorts(device.id())) {
        if (port.isEnabled() && !port.number().isLogical()) {
          found.add(new ConnectPoint(device.id(), port.number()));
        }
      }
    }
    return found;
  }

  /** Sends a packet out of a port. */
  void emit(ConnectPoint out, Ethernet packet) {
    packets.emit(
        new DefaultOutboundPacket(
            out.deviceId(),
            DefaultTrafficTreatment.builder().setOutput(out.port()).build(),
            ByteBuffer.wrap(packet.serialize())));
  }
}
