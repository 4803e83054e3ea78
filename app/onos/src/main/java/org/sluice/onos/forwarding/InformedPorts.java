// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.onlab.packet.IpAddress;
import org.onosproject.net.ConnectPoint;
import org.sluice.api.HostId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.topology.OnosTypes;

/**
 * Ports that need no request for an unknown address, because agents report everybody who was seen
 * behind them, and an address of that family for each.
 */
final class InformedPorts {
  private InformedPorts() {}

  static Set<ConnectPoint> of(
      IpAddress.Version family,
      Collection<ReportedEndpoint> reported,
      Map<IpAddress, ConnectPoint> attachments) {
    Map<HostId, Set<ConnectPoint>> portsOfHosts = new HashMap<>();
    Set<HostId> silent = new HashSet<>();
    Set<IpAddress> known = new HashSet<>();
    for (ReportedEndpoint endpoint : reported) {
      boolean hasFamily = false;
      for (org.sluice.api.IpAddress each : endpoint.ips()) {
        IpAddress ip = OnosTypes.ip(each);
        known.add(ip);
        hasFamily |= ip.version() == family;
        ConnectPoint port = attachments.get(ip);
        if (port != null) {
          portsOfHosts.computeIfAbsent(endpoint.id().host(), h -> new HashSet<>()).add(port);
        }
      }
      if (!hasFamily) {
        silent.add(endpoint.id().host());
      }
    }
    Set<ConnectPoint> informed = new HashSet<>();
    Set<ConnectPoint> others = new HashSet<>();
    portsOfHosts.forEach(
        (host, ports) -> (silent.contains(host) ? others : informed).addAll(ports));
    attachments.forEach(
        (ip, port) -> {
          if (!known.contains(ip)) {
            others.add(port);
          }
        });
    informed.removeAll(others);
    return informed;
  }
}
