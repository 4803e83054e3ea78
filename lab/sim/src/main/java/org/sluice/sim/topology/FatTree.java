// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.topology;

import java.util.ArrayList;
import java.util.List;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Switch;

/**
 * Three tiers of k-port switches (Al-Fares, Loukissas and Vahdat, "A Scalable, Commodity Data
 * Center Network Architecture", SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
 * (k/2)^2 core switches, k^3/4 hosts.
 *
 * @param endpoints {@code h1...}, edge switch by edge switch, each on a host of its own
 * @param edges {@code edge<pod>.<i>}
 * @param aggregations {@code aggregation<pod>.<i>}
 * @param cores {@code core1...}
 */
public record FatTree(
    List<Endpoint> endpoints, List<Switch> edges, List<Switch> aggregations, List<Switch> cores) {
  public FatTree {
    endpoints = List.copyOf(endpoints);
    edges = List.copyOf(edges);
    aggregations = List.copyOf(aggregations);
    cores = List.copyOf(cores);
  }

  /**
   * @param k even, at least 2
   * @param access between hosts (first) and edge switches
   * @param pod from edge (first) to aggregation switches
   * @param core from aggregation (first) to core switches
   * @throws IllegalArgumentException if k is odd or below 2
   */
  public static FatTree build(
      Network network, int k, LinkPlan access, LinkPlan pod, LinkPlan core) {
    if (k < 2 || k % 2 != 0) {
      throw new IllegalArgumentException("k must be even and at least 2, not " + k);
    }
    int half = k / 2;
    List<Switch> cores = new ArrayList<>();
    for (int i = 1; i <= half * half; i++) {
      cores.add(network.addSwitch("core" + i));
    }
    FatTree tree = new FatTreeBuilder(network, half, cores, access, pod, core).pods(k);
    network.computeRoutes();
    return tree;
  }

  /** What has been built so far. */
  private static final class FatTreeBuilder {
    private final Network network;
    private final int half;
    private final List<Switch> cores;
    private final LinkPlan access;
    private final LinkPlan pod;
    private final LinkPlan core;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<Switch> edges = new ArrayList<>();
    private final List<Switch> aggregations = new ArrayList<>();

    FatTreeBuilder(
        Network network,
        int half,
        List<Switch> cores,
        LinkPlan access,
        LinkPlan pod,
        LinkPlan core) {
      this.network = network;
      this.half = half;
      this.cores = cores;
      this.access = access;
      this.pod = pod;
      this.core = core;
    }

    FatTree pods(int count) {
      for (int p = 1; p <= count; p++) {
        addPod(p);
      }
      return new FatTree(endpoints, edges, aggregations, cores);
    }

    private void addPod(int number) {
      List<Switch> upper = new ArrayList<>();
      for (int i = 0; i < half; i++) {
        Switch aggregation = network.addSwitch("aggregation" + number + "." + (i + 1));
        upper.add(aggregation);
        for (int c = 0; c < half; c++) {
          core.connect(network, aggregation, cores.get(i * half + c));
        }
      }
      aggregations.addAll(upper);
      for (int i = 1; i <= half; i++) {
        Switch edge = network.addSwitch("edge" + number + "." + i);
        edges.add(edge);
        for (Switch aggregation : upper) {
          pod.connect(network, edge, aggregation);
        }
        for (int h = 0; h < half; h++) {
          addHost(edge);
        }
      }
    }

    private void addHost(Switch edge) {
      String name = "h" + (endpoints.size() + 1);
      Host host = network.addHost(name);
      access.connect(network, host, edge);
      endpoints.add(network.addEndpoint(name, host));
    }
  }
}
