// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.packet.Packet;

/** The controller's names for a network's endpoints: 10.0.0.0/8 by number, host/vm7. */
public final class Addresses {
  private final List<Endpoint> endpoints;
  private final IpAddress[] ips;
  private final EndpointId[] ids;
  private final Map<IpAddress, Endpoint> byIp = new HashMap<>();
  private final Map<EndpointId, Endpoint> byId = new HashMap<>();

  /** Names the endpoints that the network has now. */
  public Addresses(Network network) {
    endpoints = List.copyOf(network.endpoints());
    ips = new IpAddress[endpoints.size()];
    ids = new EndpointId[endpoints.size()];
    for (Endpoint endpoint : endpoints) {
      int number = endpoint.number();
      byte[] bytes = {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number};
      ips[number] = IpAddress.of(bytes);
      byIp.put(ips[number], endpoint);
      follow(endpoint);
    }
  }

  /** How many endpoints there are. */
  public int count() {
    return ips.length;
  }

  /** An endpoint lives on another host now. */
  public void follow(Endpoint endpoint) {
    int number = endpoint.number();
    byId.remove(ids[number]);
    ids[number] = EndpointId.of(HostId.of(endpoint.host().name()), "vm" + number);
    byId.put(ids[number], endpoint);
  }

  public IpAddress ip(int number) {
    return ips[number];
  }

  /** 02:00:00, then the number. */
  public MacAddress mac(int number) {
    return MacAddress.of(
        new byte[] {2, 0, 0, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
  }

  public EndpointId id(int number) {
    return ids[number];
  }

  /** What arrives at an endpoint with a receive ceiling, as a port. */
  public PortId receiver(int number) {
    return PortId.ofReceiver(ids[number].host(), ids[number].interfaceName());
  }

  /** The connection, or stream of datagrams, that a packet belongs to. */
  public FlowKey flow(Packet packet) {
    return FlowKey.of(
        ip(packet.source), packet.sourcePort, ip(packet.destination), packet.destinationPort);
  }

  /** Null if it is none of the network's. */
  public Endpoint endpoint(EndpointId id) {
    return byId.get(id);
  }

  public Endpoint endpoint(IpAddress ip) {
    return byIp.get(ip);
  }

  /** Those whose addresses a prefix has. */
  public List<Endpoint> within(IpPrefix prefix) {
    byte[] bytes = prefix.address().toBytes();
    int first = (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
    if (first >= ips.length || !prefix.contains(ips[first])) {
      return List.of();
    }
    long end = first + (1L << (Integer.SIZE - prefix.length()));
    return endpoints.subList(first, (int) Math.min(end, ips.length));
  }
}
