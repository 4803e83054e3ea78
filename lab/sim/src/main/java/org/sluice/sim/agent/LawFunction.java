// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.report.ReportSink;
import org.sluice.sim.shim.sluice.ShimParameters;
import org.sluice.sim.shim.sluice.SluiceShim;

/** Limits what a host's endpoints send, and reports what they send and receive. */
public final class LawFunction implements AgentFunction, ReportSink {
  private final HostId id;
  private final Addresses addresses;
  private final SluiceShim shim;
  private final AgentConnection connection;

  /** Puts its shim between the host's endpoints and its NIC. */
  public LawFunction(
      Network network,
      Host host,
      AgentConnection connection,
      Addresses addresses,
      ShimParameters parameters) {
    this.id = HostAgent.id(host);
    this.addresses = addresses;
    this.connection = connection;
    this.shim = new SluiceShim(network, host, parameters, addresses, this);
    shim.install();
  }

  public SluiceShim shim() {
    return shim;
  }

  @Override
  public void killed() {
    shim.kill();
  }

  @Override
  public void started() {
    shim.start();
  }

  @Override
  public void stopped() {
    shim.stop();
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

  @Override
  public void received(DownlinkMessage message) {
    switch (message.kind()) {
      case PROFILES -> message.profiles().forEach(this::apply);
      case UNIT_SHARES -> message.unitShares().forEach(this::apply);
      case NOTICES -> message.notices().forEach(this::apply);
      case SETTINGS -> shim.setWatching(message.settings().reportFlows());
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
            message.expired(),
            message.lentPart(),
            message.equalCost());
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
          controlled.get(i).weight(),
          controlled.get(i).pairPart());
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
