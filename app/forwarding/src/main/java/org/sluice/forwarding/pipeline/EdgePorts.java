// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.ArrayList;
import java.util.List;
import org.sluice.api.PortId;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.forwarding.spi.ForwardingPlatform;
import org.sluice.forwarding.topology.LinkTopology;

/** Ports behind which hosts may be, and the sending of packets out of them. */
final class EdgePorts {
  private final Switches switches;
  private final Mastership mastership;
  private final LinkTopology topology;
  private final PacketOut packets;

  EdgePorts(ForwardingPlatform platform, LinkTopology topology) {
    switches = platform.switches();
    mastership = platform.mastership();
    packets = platform.packetOut();
    this.topology = topology;
  }

  boolean isEdge(PortId port) {
    return !topology.isInterSwitch(port);
  }

  /** All edge ports that are up. */
  List<PortId> all() {
    List<PortId> found = up();
    found.removeIf(port -> !isEdge(port));
    return found;
  }

  /** All ports that are up of the switches whose master this node is. */
  List<PortId> ours() {
    List<PortId> found = up();
    found.removeIf(port -> !isOurs(port));
    return found;
  }

  boolean isOurs(PortId port) {
    return mastership.isLocal(port.datapath());
  }

  boolean isUp(PortId port) {
    return switches.isConnected(port.datapath())
        && switches.ports(port.datapath()).stream().anyMatch(each -> each.id().equals(port));
  }

  private List<PortId> up() {
    List<PortId> found = new ArrayList<>();
    for (String datapath : switches.connected()) {
      switches.ports(datapath).stream().map(SwitchPort::id).forEach(found::add);
    }
    return found;
  }

  /** Sends a frame out of a port. */
  void emit(PortId out, byte[] frame) {
    packets.emit(out, frame);
  }
}
