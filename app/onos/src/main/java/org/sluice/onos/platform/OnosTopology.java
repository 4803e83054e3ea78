// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.Topology;
import org.sluice.onos.topology.NextHopHash;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.ShortestPaths;
import org.sluice.onos.topology.TopologyView;

/** The topology in the core's words. */
final class OnosTopology implements Topology {
  private final TopologyView topology;

  OnosTopology(TopologyView topology) {
    this.topology = topology;
  }

  @Override
  public Epoch epoch() {
    return topology.epoch();
  }

  @Override
  public Map<PortId, PortId> peers() {
    Map<PortId, PortId> peers = new HashMap<>();
    topology.peers().forEach((from, to) -> peers.put(OnosTypes.port(from), OnosTypes.port(to)));
    return peers;
  }

  @Override
  public boolean isInterSwitch(PortId port) {
    return topology.interSwitchPorts().contains(OnosTypes.port(port));
  }

  @Override
  public List<PathShare> equalCostPaths(String fromDatapath, String toDatapath) {
    List<PathShare> shares = new ArrayList<>();
    for (ShortestPaths.Share share :
        topology.paths().shares(DeviceId.deviceId(fromDatapath), DeviceId.deviceId(toDatapath))) {
      // Sums of thirds may exceed one by a rounding error.
      shares.add(PathShare.of(OnosTypes.port(share.egress()), Math.min(1, share.fraction())));
    }
    return shares;
  }

  @Override
  public List<PortId> routedPath(String fromDatapath, String toDatapath, IpAddress destination) {
    ShortestPaths paths = topology.paths();
    DeviceId to = DeviceId.deviceId(toDatapath);
    List<PortId> path = new ArrayList<>();
    for (DeviceId device = DeviceId.deviceId(fromDatapath); !device.equals(to); ) {
      List<PortNumber> ports = paths.nextHops(device, to);
      if (ports.isEmpty()) {
        return List.of();
      }
      PortNumber port = NextHopHash.chosen(device, OnosTypes.ip(destination), ports);
      path.add(OnosTypes.port(new ConnectPoint(device, port)));
      device = paths.neighbour(device, port);
    }
    return path;
  }
}
