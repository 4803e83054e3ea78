// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.IpPrefix;
import org.sluice.api.PortId;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.engine.opentcp.GroupTopology;

/**
 * The network as a policy set is evaluated on it, and which hosts its groups have. Immutable, once
 * it is sealed.
 */
final class PolicyNetwork {
  /** The number of no group. */
  static final int NO_GROUP = -1;

  private static final int[] UNKNOWN = {};

  private final List<PortId> links = new ArrayList<>();
  private final List<Long> capacities = new ArrayList<>();
  private final List<Boolean> betweenSwitches = new ArrayList<>();
  private final List<String> groups;
  private int[][] paths;
  private GroupTopology topology;
  private final List<List<HostId>> hosts;
  private final List<List<IpPrefix>> prefixes = new ArrayList<>();
  private final Map<IpAddress, Integer> groupsByAddress = new HashMap<>();
  private final Map<HostId, Integer> groupsByHost = new HashMap<>();
  private final List<PolicyFinding> findings;

  /**
   * One without links and addresses yet.
   *
   * @param groups their names, each once
   * @param hosts by group
   * @param findings what of the set is not here
   */
  PolicyNetwork(List<String> groups, List<List<HostId>> hosts, List<PolicyFinding> findings) {
    this.groups = List.copyOf(groups);
    this.hosts = List.copyOf(hosts);
    this.findings = List.copyOf(findings);
    paths = new int[groups.size() * groups.size()][];
    Arrays.fill(paths, UNKNOWN);
    for (int group = 0; group < hosts.size(); group++) {
      for (HostId host : hosts.get(group)) {
        groupsByHost.put(host, group);
      }
    }
  }

  void addLink(PortId port, long capacityBitsPerSecond, boolean isBetweenSwitches) {
    links.add(port);
    capacities.add(capacityBitsPerSecond);
    betweenSwitches.add(isBetweenSwitches);
  }

  /**
   * Sets the links between groups.
   *
   * @param links by source and destination; none: they are not known. Kept, not to be changed
   */
  void setPaths(int[][] links) {
    paths = links;
  }

  /** Adds the next group's addresses. */
  void addAddresses(List<IpAddress> addresses) {
    int group = prefixes.size();
    addresses.forEach(address -> groupsByAddress.put(address, group));
    prefixes.add(Prefixes.of(addresses));
  }

  /** Whether policies see no difference; hosts and addresses may be others. */
  boolean isSameTopology(PolicyNetwork other) {
    return links.equals(other.links)
        && capacities.equals(other.capacities)
        && betweenSwitches.equals(other.betweenSwitches)
        && groups.equals(other.groups)
        && Arrays.deepEquals(paths, other.paths);
  }

  /** Whether hints go to the same hosts, about the same destinations. */
  boolean hasSameHosts(PolicyNetwork other) {
    return hosts.equals(other.hosts)
        && prefixes.equals(other.prefixes)
        && groupsByAddress.equals(other.groupsByAddress);
  }

  /** It is complete, and does not change any more. */
  void seal() {
    topology = new GroupTopology(groups);
    for (int link = 0; link < links.size(); link++) {
      topology.addLink(links.get(link), capacities.get(link), betweenSwitches.get(link));
    }
    for (int source = 0; source < groups.size(); source++) {
      for (int destination = 0; destination < groups.size(); destination++) {
        topology.setPath(source, destination, paths[source * groups.size() + destination]);
      }
    }
  }

  /** The same for the engine. */
  GroupTopology topology() {
    return topology;
  }

  /** By the engine's number. */
  List<PortId> links() {
    return links;
  }

  /** Their names, by number. */
  List<String> groups() {
    return groups;
  }

  /** A group's, by id. */
  List<HostId> hosts(int group) {
    return hosts.get(group);
  }

  /** What a group's hosts are reached by. */
  List<IpPrefix> prefixes(int group) {
    return prefixes.get(group);
  }

  /** The group of the host that has an address; {@link #NO_GROUP}. */
  int groupOf(IpAddress address) {
    Integer group = groupsByAddress.get(address);
    return group == null ? NO_GROUP : group;
  }

  /** A host's group; {@link #NO_GROUP}. */
  int groupOf(HostId host) {
    Integer group = groupsByHost.get(host);
    return group == null ? NO_GROUP : group;
  }

  /** What of the set is not here. */
  List<PolicyFinding> findings() {
    return findings;
  }
}
