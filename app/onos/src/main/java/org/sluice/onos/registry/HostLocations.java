// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.registry;

import java.util.Optional;
import org.onosproject.net.Host;
import org.onosproject.net.device.DeviceService;
import org.onosproject.net.host.HostEvent;
import org.onosproject.net.host.HostListener;
import org.onosproject.net.host.HostService;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.onos.topology.Attachments;
import org.sluice.onos.topology.OnosTypes;
import org.sluice.onos.topology.TopologyView;

/**
 * Brings what ONOS learns about hosts and what agents report about endpoints into the attachment
 * map. An agent's word on which MAC has an address stands: a VM cannot draw another one's traffic
 * to itself by claiming its address.
 */
@Component(immediate = true, service = EndpointLocator.class)
public class HostLocations implements EndpointLocator {
  @Reference HostService hosts;
  @Reference DeviceService devices;
  @Reference Attachments attachments;
  @Reference ReportedEndpoints endpoints;
  @Reference TopologyView topology;

  private final HostListener hostListener = this::hostChanged;
  private final Runnable endpointListener = this::learnAll;

  @Activate
  void activate() {
    hosts.addListener(hostListener);
    endpoints.epoch().addListener(endpointListener);
    learnAll();
  }

  @Deactivate
  void deactivate() {
    endpoints.epoch().removeListener(endpointListener);
    hosts.removeListener(hostListener);
  }

  @Override
  public Optional<PortId> locate(ReportedEndpoint endpoint) {
    for (IpAddress ip : endpoint.ips()) {
      Optional<PortId> port = attachments.locate(OnosTypes.ip(ip)).map(OnosTypes::port);
      if (port.isPresent()) {
        return port;
      }
    }
    return hosts.getHostsByMac(OnosTypes.mac(endpoint.mac())).stream()
        .map(Host::location)
        .filter(location -> !topology.interSwitchPorts().contains(location))
        .findFirst()
        .map(OnosTypes::port);
  }

  private void hostChanged(HostEvent event) {
    if (event.type() == HostEvent.Type.HOST_REMOVED) {
      Host gone = event.subject();
      if (!devices.isAvailable(gone.location().deviceId())) {
        return; // The switch is away: that says nothing about what is attached to it.
      }
      gone.ipAddresses().stream()
          .filter(ip -> attachments.locate(ip).filter(gone.location()::equals).isPresent())
          .forEach(attachments::forget);
      return;
    }
    learn(event.subject());
  }

  private void learnAll() {
    hosts.getHosts().forEach(this::learn);
  }

  private void learn(Host host) {
    for (org.onlab.packet.IpAddress ip : host.ipAddresses()) {
      boolean credible =
          endpoints
              .holder(OnosTypes.ip(ip))
              .map(endpoint -> endpoint.mac().equals(OnosTypes.mac(host.mac())))
              .orElse(true);
      if (credible) {
        attachments.learn(ip, host.location());
      }
    }
    // ONOS learns addresses from ARP only; the agent knows them all.
    for (ReportedEndpoint endpoint : endpoints.reported()) {
      if (endpoint.mac().equals(OnosTypes.mac(host.mac()))) {
        endpoint.ips().forEach(ip -> attachments.learn(OnosTypes.ip(ip), host.location()));
      }
    }
  }
}
