// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.forwarding.spi.Rule;
import org.sluice.forwarding.topology.NextHopHash;
import org.sluice.forwarding.topology.ShortestPaths;

/** Works out the rules that a switch should have. */
final class RulePlan implements CapRoutes {
  /** Finds a switch's select group over some ports. */
  interface GroupFinder {
    /** The group, if it stands already; requests it otherwise. */
    Optional<Long> group(String datapath, List<Long> ports);
  }

  private final ShortestPaths paths;
  private final Map<IpAddress, PortId> attachments;
  private final GroupFinder groups;
  private final boolean spreadsFlows;

  RulePlan(
      ShortestPaths paths,
      Map<IpAddress, PortId> attachments,
      GroupFinder groups,
      boolean spreadsFlows) {
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
  List<Rule> rules(String datapath, Map<PortId, Long> meters) {
    List<Rule> rules = new ArrayList<>(Pipeline.frame(datapath));
    meters.forEach((port, meter) -> rules.addAll(Pipeline.countMarks(port, meter)));
    attachments.forEach((ip, at) -> addRoute(datapath, ip, at, rules));
    return rules;
  }

  /**
   * Rules of a switch for destinations that it cannot reach as far as is known. Such rules stay if
   * they stand: the way may only be unknown, because a switch on it has lost its controller and
   * goes on forwarding.
   */
  Set<Rule.Key> uncertain(String datapath) {
    Set<Rule.Key> rules = new HashSet<>();
    attachments.forEach(
        (ip, at) -> {
          if (nextHops(datapath, at).isEmpty()) {
            rules.add(Pipeline.route(datapath, ip));
            rules.add(Pipeline.resolve(datapath, ip));
          }
        });
    return rules;
  }

  @Override
  public Optional<Long> onlyPort(String datapath, IpAddress to) {
    PortId at = attachments.get(to);
    List<Long> out = at == null ? List.of() : nextHops(datapath, at);
    if (out.isEmpty() || spreadsFlows && out.size() > 1) {
      return Optional.empty();
    }
    return Optional.of(chosen(datapath, to, out));
  }

  /** The port that is used where no group is. */
  private long chosen(String datapath, IpAddress ip, List<Long> out) {
    return spreadsFlows ? out.get(0) : NextHopHash.chosen(datapath, ip, out);
  }

  private List<Long> nextHops(String datapath, PortId at) {
    return datapath.equals(at.datapath())
        ? List.of(at.number())
        : paths.nextHops(datapath, at.datapath());
  }

  private void addRoute(String datapath, IpAddress ip, PortId at, List<Rule> rules) {
    List<Long> out = nextHops(datapath, at);
    if (out.isEmpty()) {
      return; // Not reachable from here now.
    }
    // Until its group stands a destination is served over one of its ports.
    Optional<Long> group =
        spreadsFlows && out.size() > 1 ? groups.group(datapath, out) : Optional.empty();
    long one = chosen(datapath, ip, out);
    rules.add(
        group
            .map(id -> Pipeline.routeByGroup(datapath, ip, id))
            .orElseGet(() -> Pipeline.route(datapath, ip, one)));
    rules.add(Pipeline.resolve(datapath, ip, one));
  }
}
