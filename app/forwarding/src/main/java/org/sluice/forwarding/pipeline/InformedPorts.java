// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;

/**
 * Ports that need no request for an unknown address, because agents report everybody who was seen
 * behind them, and an address of that family for each.
 */
final class InformedPorts {
  private InformedPorts() {}

  static Set<PortId> of(
      boolean ofIpv4, Collection<ReportedEndpoint> reported, Map<IpAddress, PortId> attachments) {
    Map<HostId, Set<PortId>> portsOfHosts = new HashMap<>();
    Set<HostId> silent = new HashSet<>();
    Set<IpAddress> known = new HashSet<>();
    for (ReportedEndpoint endpoint : reported) {
      boolean hasFamily = false;
      for (IpAddress ip : endpoint.ips()) {
        known.add(ip);
        hasFamily |= ip.isIpv4() == ofIpv4;
        PortId port = attachments.get(ip);
        if (port != null) {
          portsOfHosts.computeIfAbsent(endpoint.id().host(), h -> new HashSet<>()).add(port);
        }
      }
      if (!hasFamily) {
        silent.add(endpoint.id().host());
      }
    }
    Set<PortId> informed = new HashSet<>();
    Set<PortId> others = new HashSet<>();
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
