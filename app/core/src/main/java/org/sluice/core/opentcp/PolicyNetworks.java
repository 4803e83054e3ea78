// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.api.policy.HostGroup;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicySet;
import org.sluice.core.registry.Capacities;
import org.sluice.core.registry.Capacities.Capacity;
import org.sluice.core.registry.ReportedEndpoints;
import org.sluice.core.spi.PathShare;
import org.sluice.core.spi.Topology;

/** Makes the network as a policy set is to be evaluated on it. Thread-safe. */
final class PolicyNetworks {
  private static final int[] UNKNOWN = {};

  private final Topology topology;
  private final Capacities capacities;
  private final ReportedEndpoints endpoints;
  private final HostPlaces hosts;

  /** Those that were searched for last: there are many, and they seldom change. */
  private volatile Paths latestPaths;

  PolicyNetworks(
      Topology topology, Capacities capacities, ReportedEndpoints endpoints, HostPlaces hosts) {
    this.topology = topology;
    this.capacities = capacities;
    this.endpoints = endpoints;
    this.hosts = hosts;
  }

  /** As it is now. */
  PolicyNetwork network(PolicySet set) {
    return new Making(set).make();
  }

  /** Paths between groups, and of what network they are. Hosts come and go far more often. */
  private static final class Paths {
    private final long epoch;
    private final List<Set<PortId>> edges;
    private final Map<PortId, Integer> numbers;
    private final int[][] paths;

    Paths(long epoch, List<Set<PortId>> edges, Map<PortId, Integer> numbers, int[][] paths) {
      this.epoch = epoch;
      this.edges = edges;
      this.numbers = numbers;
      this.paths = paths;
    }

    boolean hold(long nowEpoch, List<Set<PortId>> nowEdges, Map<PortId, Integer> nowNumbers) {
      return epoch == nowEpoch && edges.equals(nowEdges) && numbers.equals(nowNumbers);
    }
  }

  private final class Making {
    private final PolicySet set;
    private final Map<HostId, Optional<PortId>> places = hosts.places();
    private final List<String> groups = new ArrayList<>();
    private final List<List<HostId>> members = new ArrayList<>();
    private final List<PolicyFinding> findings = new ArrayList<>();
    private final Map<PortId, Integer> numbers = new HashMap<>();
    private final Map<List<String>, List<PathShare>> shares = new HashMap<>();

    Making(PolicySet set) {
      this.set = set;
    }

    PolicyNetwork make() {
      if (set.groups().isEmpty()) {
        groupByEdgeSwitch();
      } else {
        groupAsNamed();
      }
      PolicyNetwork network = new PolicyNetwork(groups, members, findings);
      addLinks(network);
      addAddresses(network);
      if (set.policies().stream().anyMatch(policy -> policy.links() == Policy.Links.PATH)) {
        setPaths(network);
      }
      network.seal();
      return network;
    }

    /** The hosts at an edge switch are a group, called as that switch. */
    private void groupByEdgeSwitch() {
      Map<String, List<HostId>> bySwitch = new TreeMap<>();
      places.forEach(
          (host, place) ->
              place.ifPresent(
                  port ->
                      bySwitch.computeIfAbsent(port.datapath(), d -> new ArrayList<>()).add(host)));
      bySwitch.forEach(
          (datapath, its) -> {
            if (groups.size() < PolicySet.MOST_GROUPS) {
              groups.add(datapath);
              members.add(List.copyOf(its));
            }
          });
      if (bySwitch.size() > PolicySet.MOST_GROUPS) {
        findings.add(
            PolicyFinding.of(
                "groups",
                "",
                "Hosts are at "
                    + bySwitch.size()
                    + " edge switches; those beyond the first "
                    + PolicySet.MOST_GROUPS
                    + " get no hints",
                "Name groups of the hosts of several switches"));
      }
    }

    private void groupAsNamed() {
      for (int i = 0; i < set.groups().size(); i++) {
        HostGroup group = set.groups().get(i);
        List<HostId> its = new ArrayList<>();
        for (int j = 0; j < group.hosts().size(); j++) {
          HostId host = group.hosts().get(j);
          if (places.containsKey(host)) {
            its.add(host);
          } else {
            findings.add(
                PolicyFinding.of(
                    "groups[" + i + "].hosts[" + j + "]",
                    host.toString(),
                    "No agent of such a host has connected to this node",
                    "Use a host that GET hosts lists with an uplink"));
          }
        }
        groups.add(group.name());
        members.add(List.copyOf(new TreeSet<>(its)));
      }
    }

    private void addLinks(PolicyNetwork network) {
      Map<PortId, PortId> peers = topology.peers();
      for (Map.Entry<PortId, Capacity> port : new TreeMap<>(capacities.all()).entrySet()) {
        numbers.put(port.getKey(), numbers.size());
        network.addLink(
            port.getKey(), port.getValue().bitsPerSecond(), peers.containsKey(port.getKey()));
      }
    }

    private void addAddresses(PolicyNetwork network) {
      Map<HostId, Set<IpAddress>> byHost = new HashMap<>();
      for (ReportedEndpoint endpoint : endpoints.reported()) {
        byHost.computeIfAbsent(endpoint.id().host(), h -> new HashSet<>()).addAll(endpoint.ips());
      }
      for (List<HostId> its : members) {
        List<IpAddress> addresses = new ArrayList<>();
        its.forEach(host -> addresses.addAll(byHost.getOrDefault(host, Set.of())));
        network.addAddresses(addresses);
      }
    }

    private void setPaths(PolicyNetwork network) {
      long epoch = topology.epoch().get();
      List<Set<PortId>> edges = new ArrayList<>();
      for (List<HostId> its : members) {
        Set<PortId> ports = new TreeSet<>();
        its.forEach(host -> places.get(host).ifPresent(ports::add));
        edges.add(ports);
      }
      Paths known = latestPaths;
      if (known == null || !known.hold(epoch, edges, numbers)) {
        known = new Paths(epoch, edges, numbers, paths(edges));
        latestPaths = known;
      }
      network.setPaths(known.paths);
    }

    private int[][] paths(List<Set<PortId>> edges) {
      int[][] paths = new int[edges.size() * edges.size()][];
      for (int source = 0; source < edges.size(); source++) {
        for (int destination = 0; destination < edges.size(); destination++) {
          paths[source * edges.size() + destination] =
              path(edges.get(source), edges.get(destination));
        }
      }
      return paths;
    }

    /** All links of all shortest paths; none: one of them, or an end, is not known. */
    private int[] path(Set<PortId> from, Set<PortId> to) {
      Set<PortId> ports = new TreeSet<>(to);
      for (String source : datapaths(from)) {
        for (String destination : datapaths(to)) {
          if (!source.equals(destination)) {
            List<PathShare> between =
                shares.computeIfAbsent(
                    List.of(source, destination),
                    pair -> topology.equalCostPaths(pair.get(0), pair.get(1)));
            if (between.isEmpty()) {
              return UNKNOWN;
            }
            between.forEach(share -> ports.add(share.egress()));
          }
        }
      }
      if (from.isEmpty() || to.isEmpty() || !numbers.keySet().containsAll(ports)) {
        return UNKNOWN;
      }
      return ports.stream().mapToInt(numbers::get).toArray();
    }

    private Set<String> datapaths(Set<PortId> ports) {
      Set<String> found = new TreeSet<>();
      ports.forEach(port -> found.add(port.datapath()));
      return found;
    }
  }
}
