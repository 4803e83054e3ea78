// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.onlab.packet.IpAddress;
import org.onosproject.core.GroupId;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.flow.FlowRule;
import org.onosproject.net.meter.MeterId;
import org.sluice.onos.topology.NextHopHash;
import org.sluice.onos.topology.ShortestPaths;

/** Works out the rules that a switch should have. */
final class RulePlan implements CapRoutes {
  /** Finds a switch's select group over some ports. */
  interface GroupFinder {
    /** The group, if it stands already; requests it otherwise. */
    Optional<GroupId> group(DeviceId device, List<PortNumber> ports);
  }

  /** Rules are distinguished by what they match, not by where they lead. */
  private static final PortNumber ANY_PORT = PortNumber.P0;

  private final Pipeline pipeline;
  private final ShortestPaths paths;
  private final Map<IpAddress, ConnectPoint> attachments;
  private final GroupFinder groups;
  private final boolean spreadsFlows;

  RulePlan(
      Pipeline pipeline,
      ShortestPaths paths,
      Map<IpAddress, ConnectPoint> attachments,
      GroupFinder groups,
      boolean spreadsFlows) {
    this.pipeline = pipeline;
    this.paths = paths;
    this.attachments = new TreeMap<>(attachments);
    this.groups = groups;
    this.spreadsFlows = spreadsFlows;
  }

  /**
   * The rules of a switch.
   *
   * @param meters by ingress port, for those ports from other switches whose meter stands
   */
  List<FlowRule> rules(DeviceId device, Map<PortNumber, MeterId> meters) {
    List<FlowRule> rules = new ArrayList<>(pipeline.frame(device));
    meters.forEach((port, meter) -> rules.addAll(pipeline.countMarks(device, port, meter)));
    attachments.forEach((ip, at) -> addRoute(device, ip, at, rules));
    return rules;
  }

  /**
   * Rules of a switch for destinations that it cannot reach as far as is known, each over any port.
   * Such rules stay if they stand: the way may only be unknown, because a switch on it has lost its
   * controller and goes on forwarding.
   */
  List<FlowRule> uncertain(DeviceId device) {
    List<FlowRule> rules = new ArrayList<>();
    attachments.forEach(
        (ip, at) -> {
          if (nextHops(device, at).isEmpty()) {
            rules.add(pipeline.route(device, ip, ANY_PORT));
            rules.add(pipeline.resolve(device, ip, ANY_PORT));
          }
        });
    return rules;
  }

  @Override
  public Optional<PortNumber> onlyPort(DeviceId device, IpAddress to) {
    ConnectPoint at = attachments.get(to);
    List<PortNumber> out = at == null ? List.of() : nextHops(device, at);
    if (out.isEmpty() || spreadsFlows && out.size() > 1) {
      return Optional.empty();
    }
    return Optional.of(chosen(device, to, out));
  }

  /** The port that is used where no group is. */
  private PortNumber chosen(DeviceId device, IpAddress ip, List<PortNumber> out) {
    return spreadsFlows ? out.get(0) : NextHopHash.chosen(device, ip, out);
  }

  private List<PortNumber> nextHops(DeviceId device, ConnectPoint at) {
    return device.equals(at.deviceId())
        ? List.of(at.port())
        : paths.nextHops(device, at.deviceId());
  }

  private void addRoute(DeviceId device, IpAddress ip, ConnectPoint at, List<FlowRule> rules) {
    List<PortNumber> out = nextHops(device, at);
    if (out.isEmpty()) {
      return; // Not reachable from here now.
    }
    // Until its group stands a destination is served over one of its ports.
    Optional<GroupId> group =
        spreadsFlows && out.size() > 1 ? groups.group(device, out) : Optional.empty();
    PortNumber one = chosen(device, ip, out);
    rules.add(
        group
            .map(id -> pipeline.route(device, ip, id))
            .orElseGet(() -> pipeline.route(device, ip, one)));
    rules.add(pipeline.resolve(device, ip, one));
  }
}
