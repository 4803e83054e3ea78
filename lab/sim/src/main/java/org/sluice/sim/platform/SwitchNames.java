// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;

/**
 * The controller's names for a network's switches and their ports: datapath ids by the order in
 * which switches were added, and a port's index.
 */
public final class SwitchNames {
  private final Map<String, Switch> switches = new LinkedHashMap<>();
  private final Map<Switch, String> datapaths = new HashMap<>();
  private final Map<Port, PortId> ports = new HashMap<>();

  /** Names the switches that the network has now. */
  public SwitchNames(Network network) {
    for (Switch each : network.switches()) {
      String datapath = String.format("of:%016x", switches.size() + 1);
      switches.put(datapath, each);
      datapaths.put(each, datapath);
      for (Port port : each.ports()) {
        ports.put(port, PortId.of(datapath, port.index()));
      }
    }
  }

  public String datapath(Switch named) {
    return datapaths.get(named);
  }

  /** In their order. */
  public List<String> datapaths() {
    return List.copyOf(switches.keySet());
  }

  /** Null if it is none of the network's. */
  public Switch switchOf(String datapath) {
    return switches.get(datapath);
  }

  /** A switch's port. */
  public PortId id(Port port) {
    return ports.get(port);
  }

  /** The switch's port by which a host's NIC, or another switch's port, leads to it. */
  PortId entrance(Port port) {
    return PortId.of(datapaths.get((Switch) port.peer()), port.peerPort());
  }

  /** Null if it is none of the network's. */
  public Port port(PortId id) {
    Switch owner = switches.get(id.datapath());
    return owner == null ? null : owner.ports().get((int) id.number());
  }
}
