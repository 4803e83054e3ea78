// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.MacAddress;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.AgentLinks;
import org.sluice.sim.shim.host.Addresses;

/** The agent of one host, with what it does for each system. */
public final class HostAgent extends ComposedAgent {
  private static final String UPLINK = "nic";
  private static final String VERSION = "simulated";
  private static final MacAddress UPLINK_MAC = MacAddress.of(new byte[] {2, 1, 0, 0, 0, 0});

  private final Network network;
  private final Host host;
  private final Addresses addresses;

  public HostAgent(Network network, Host host, Addresses addresses, AgentLinks links) {
    super(id(host), links);
    this.network = network;
    this.host = host;
    this.addresses = addresses;
  }

  /** The controller's name of a host. */
  static HostId id(Host host) {
    return HostId.of(host.name());
  }

  /** It dies: what it has put into the data path stays for a lease. */
  public void kill() {
    functions().forEach(AgentFunction::killed);
    connection().agentDied();
  }

  /** It starts again. */
  public void start() {
    functions().forEach(AgentFunction::started);
    connection().agentStarted();
  }

  /** It stops, and takes what it has put into the data path away. */
  public void stop() {
    functions().forEach(AgentFunction::stopped);
    connection().agentDied();
  }

  /** Endpoints have come or gone. */
  public void endpointsChanged() {
    HostEvent event =
        HostEvent.of(id(host), HostEvent.Kind.ENDPOINTS_CHANGED, "", reportedEndpoints());
    connection().send(now -> UplinkMessage.ofEvent(event));
  }

  @Override
  public HostHello hello() {
    long capacity = host.nic().rateBitsPerSecond();
    return HostHello.of(
        id(host), VERSION, UPLINK, UPLINK_MAC, capacity, reportedEndpoints(), List.of());
  }

  private List<ReportedEndpoint> reportedEndpoints() {
    return network.endpoints().stream()
        .filter(endpoint -> endpoint.host().equals(host))
        .map(this::reported)
        .toList();
  }

  private ReportedEndpoint reported(Endpoint endpoint) {
    int number = endpoint.number();
    return ReportedEndpoint.of(
        addresses.id(number), addresses.mac(number), Set.of(addresses.ip(number)));
  }
}
