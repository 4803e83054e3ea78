// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.link.ControlledEndpoint;
import org.sluice.api.link.EndpointProfile;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.Notice;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.link.UnitShare;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.report.ReportSink;
import org.sluice.sim.shim.sluice.ShimParameters;
import org.sluice.sim.shim.sluice.SluiceShim;

/** The agent link of one host: turns the controller's messages into calls, and back. */
final class HostLink implements ReportSink {
  private final Network network;
  private final HostId id;
  private final Addresses addresses;
  private final Controller controller;
  private final ControlChannel up;
  private final ControlChannel down;
  private final SluiceShim shim;

  HostLink(
      Network network,
      Host host,
      Addresses addresses,
      Controller controller,
      ShimParameters parameters,
      ControlChannels channels) {
    this.network = network;
    this.id = HostId.of(host.name());
    this.addresses = addresses;
    this.controller = controller;
    this.up = channels.open("up " + host.name());
    this.down = channels.open("down " + host.name());
    this.shim = new SluiceShim(network, host, parameters, addresses, this);
  }

  HostId id() {
    return id;
  }

  SluiceShim shim() {
    return shim;
  }

  long messagesUp() {
    return up.sent();
  }

  long messagesDown() {
    return down.sent();
  }

  long messagesLost() {
    return up.lost() + down.lost();
  }

  // ---------------------------------------------------------------- from the controller

  void beginSession() {
    shim.sessionBegan();
  }

  void endSession() {
    shim.sessionEnded();
  }

  void send(EndpointProfile policy, Endpoint endpoint) {
    Bounds bounds =
        new Bounds(policy.ceilingBitsPerSecond(), policy.guaranteeBitsPerSecond(), policy.weight());
    long receiveCeiling = policy.receiveCeilingBitsPerSecond();
    down.send(() -> shim.setPolicy(endpoint.number(), bounds, receiveCeiling));
  }

  void send(UnitShare message) {
    down.send(() -> apply(message));
  }

  void send(Notice message) {
    down.send(() -> apply(message));
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
    long session = controller.session();
    up.send(
        () -> {
          long now = network.scheduler().now();
          controller.take(session, HostObservation.of(id, now, intervalNanos, pairs, List.of()));
        });
  }

  @Override
  public void observeReceiver(
      Endpoint endpoint, long intervalNanos, long packets, long bytes, long overThreshold) {
    long session = controller.session();
    PortQueueSample sample =
        PortQueueSample.of(
            addresses.receiver(endpoint.number()), packets, bytes, 0, overThreshold, 0, 0, 0);
    up.send(
        () -> {
          long now = network.scheduler().now();
          controller.take(
              session, PortQueueObservation.of(id, now, intervalNanos, List.of(sample)));
        });
  }
}
