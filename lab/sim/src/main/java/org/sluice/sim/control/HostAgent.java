// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.Agent;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.AgentLinks;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.report.ReportSink;
import org.sluice.sim.shim.sluice.ShimParameters;
import org.sluice.sim.shim.sluice.SluiceShim;

/** The agent of one host: turns the controller's messages into its shim's calls, and back. */
final class HostAgent implements Agent, ReportSink {
  private static final String UPLINK = "nic";
  private static final String VERSION = "simulated";
  private static final MacAddress UPLINK_MAC = MacAddress.of(new byte[] {2, 1, 0, 0, 0, 0});

  private final Network network;
  private final HostId id;
  private final Addresses addresses;
  private final SluiceShim shim;
  private final AgentConnection connection;

  HostAgent(
      Network network,
      Host host,
      Addresses addresses,
      AgentLinks links,
      ShimParameters parameters) {
    this.network = network;
    this.id = HostId.of(host.name());
    this.addresses = addresses;
    this.connection = links.add(id, this);
    this.shim = new SluiceShim(network, host, parameters, addresses, this);
  }

  SluiceShim shim() {
    return shim;
  }

  AgentConnection connection() {
    return connection;
  }

  /** It dies: what it limits stays so for a lease. */
  void kill() {
    shim.kill();
    connection.agentDied();
  }

  /** It stops, and limits nothing any more. */
  void stop() {
    shim.stop();
    connection.agentDied();
  }

  @Override
  public HostHello hello() {
    List<ReportedEndpoint> endpoints =
        network.endpoints().stream()
            .filter(endpoint -> endpoint.host().equals(shim.host()))
            .map(this::reported)
            .toList();
    long capacity = shim.host().nic().rateBitsPerSecond();
    return HostHello.of(id, VERSION, UPLINK, UPLINK_MAC, capacity, endpoints, List.of());
  }

  private ReportedEndpoint reported(Endpoint endpoint) {
    int number = endpoint.number();
    return ReportedEndpoint.of(
        addresses.id(number), addresses.mac(number), Set.of(addresses.ip(number)));
  }

  @Override
  public void sessionBegan() {
    shim.sessionBegan();
  }

  @Override
  public void sessionEnded() {
    shim.sessionEnded();
  }

  // ---------------------------------------------------------------- from the controller

  /** Its shim was configured at its start; it exchanges no certificates with others. */
  @Override
  public void received(DownlinkMessage message) {
    switch (message.kind()) {
      case PROFILES -> message.profiles().forEach(this::apply);
      case UNIT_SHARES -> message.unitShares().forEach(this::apply);
      case NOTICES -> message.notices().forEach(this::apply);
      default -> {}
    }
  }

  private void apply(EndpointProfile policy) {
    shim.setPolicy(
        numberOf(policy.endpoint().interfaceName()),
        new Bounds(policy.ceilingBitsPerSecond(), policy.guaranteeBitsPerSecond(), policy.weight()),
        policy.receiveCeilingBitsPerSecond());
  }

  private void apply(UnitShare message) {
    PortShare share =
        new PortShare(
            message.unitShareBitsPerSecond(),
            message.capacityBitsPerSecond(),
            message.activeWeight(),
            message.expired(),
            message.markedPart());
    List<ControlledEndpoint> controlled = message.endpoints();
    int[] named = new int[message.expired() ? 0 : controlled.size()];
    for (int i = 0; i < named.length; i++) {
      named[i] = numberOf(controlled.get(i).endpoint().interfaceName());
    }
    shim.setShareToRelay(message.port(), share, numbers(message.reached()));
    shim.releaseOthers(message.port(), named);
    for (int i = 0; i < named.length; i++) {
      shim.setShare(
          named[i],
          message.port(),
          share,
          numbers(controlled.get(i).destinations()),
          controlled.get(i).floorBitsPerSecond().orElse(EndpointControl.NO_FLOOR),
          controlled.get(i).weight());
    }
  }

  private void apply(Notice message) {
    PortNotice notice =
        new PortNotice(
            message.marks(),
            message.periodNanos(),
            message.shareBitsPerSecond(),
            message.capacityBitsPerSecond(),
            message.packets());
    shim.takeNotice(
        numberOf(message.endpoint().interfaceName()),
        message.port(),
        notice,
        numbers(message.destinations()));
  }

  private static int numberOf(String interfaceName) {
    return Integer.parseInt(interfaceName.substring(2));
  }

  /** In the order of their numbers: a set's own order differs from run to run. */
  private int[] numbers(Set<IpAddress> ips) {
    int[] result = new int[ips.size()];
    int i = 0;
    for (IpAddress ip : ips) {
      result[i++] = addresses.endpoint(ip).number();
    }
    Arrays.sort(result);
    return result;
  }

  // ---------------------------------------------------------------- to the controller

  @Override
  public void observe(long intervalNanos, List<PairSample> pairs) {
    connection.send(
        now ->
            UplinkMessage.ofObservation(
                HostObservation.of(id, now, intervalNanos, pairs, List.of())));
  }

  @Override
  public void observeReceiver(
      Endpoint endpoint, long intervalNanos, long packets, long bytes, long overThreshold) {
    PortQueueSample sample =
        PortQueueSample.of(
            addresses.receiver(endpoint.number()), packets, bytes, 0, overThreshold, 0, 0, 0);
    connection.send(
        now ->
            UplinkMessage.ofPortQueues(
                PortQueueObservation.of(id, now, intervalNanos, List.of(sample))));
  }
}
