// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.sluice.sim.event.RandomStreams;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.fairness.FairnessCase.Cable;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.LinkParameters;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Node;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.scenario.measure.MaxMinShares;
import org.sluice.sim.scenario.measure.TrafficGroup;
import org.sluice.sim.topology.LinkPlan;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.Flow;

/** A case as a network of the simulator's: a host for each endpoint, a receiver at each switch. */
final class CaseNetwork {
  private static final long LINK_DELAY_NANOS = 8_000;

  final FairnessCase drawn;
  final Network network;

  /** By endpoint of the case. */
  final List<Endpoint> endpoints = new ArrayList<>();

  /** By endpoint and its destinations. */
  final List<List<Flow>> flows = new ArrayList<>();

  private final List<Switch> switches = new ArrayList<>();

  /** Makes a flow of the case. */
  interface FlowMaker {
    Flow make(Network network, String name, Endpoint from, Endpoint to, EndpointPlan plan);
  }

  CaseNetwork(
      FairnessCase drawn,
      long seed,
      long accessBitsPerSecond,
      QueueFactory hostQueue,
      QueueFactory switchQueue,
      FlowMaker maker) {
    this.drawn = drawn;
    network = new Network(new Scheduler(), new RandomStreams(seed));
    LinkParameters toHosts = new LinkParameters(accessBitsPerSecond, LINK_DELAY_NANOS, 0);
    LinkPlan access = new LinkPlan(toHosts, hostQueue, switchQueue);
    switches.add(network.addSwitch("s0"));
    for (Cable cable : drawn.links()) {
      Switch added = network.addSwitch("s" + switches.size());
      LinkParameters link =
          new LinkParameters(Math.round(cable.megabits() * 1e6), LINK_DELAY_NANOS, 0);
      LinkPlan.symmetric(link, switchQueue).connect(network, switches.get(cable.parent()), added);
      switches.add(added);
    }
    List<Endpoint> receivers = new ArrayList<>();
    for (Switch at : switches) {
      receivers.add(endpoint("r" + receivers.size(), at, access));
    }
    for (EndpointPlan plan : drawn.endpoints()) {
      endpoints.add(endpoint("e" + endpoints.size(), switches.get(plan.at()), access));
    }
    network.computeRoutes();
    for (int i = 0; i < endpoints.size(); i++) {
      Endpoint from = endpoints.get(i);
      EndpointPlan plan = drawn.endpoints().get(i);
      List<Flow> own = new ArrayList<>();
      for (int to : plan.to()) {
        String name = from.name() + ">" + to;
        own.add(maker.make(network, name, from, receivers.get(to), plan));
      }
      flows.add(own);
    }
  }

  private Endpoint endpoint(String name, Switch at, LinkPlan access) {
    Host host = network.addHost(name);
    access.connect(network, host, at);
    return network.addEndpoint(name, host);
  }

  /** The switches' ports on a flow's path, first to last. */
  List<Port> path(Flow flow) {
    List<Port> path = new ArrayList<>();
    Node at = flow.source().host().nic().peer();
    while (at instanceof Switch on) {
      path.add(on.egresses(flow.destination().number()).get(0));
      at = path.get(path.size() - 1).peer();
    }
    return path;
  }

  /**
   * What each flow is due of those that send, Mbit/s.
   *
   * @param wantedMegabits by flow, where that is not what the case says
   */
  Map<Flow, Double> due(Predicate<EndpointPlan> sends, Map<Flow, Double> wantedMegabits) {
    return shares(sends, wantedMegabits).megabits();
  }

  /** The same, with floors. */
  MaxMinShares.Shares shares(Predicate<EndpointPlan> sends, Map<Flow, Double> wantedMegabits) {
    List<TrafficGroup> groups = new ArrayList<>();
    MaxMinShares shares = new MaxMinShares(groups);
    for (int i = 0; i < endpoints.size(); i++) {
      EndpointPlan plan = drawn.endpoints().get(i);
      describe(shares, endpoints.get(i), plan);
      if (sends.test(plan)) {
        double wanted = plan.wantedMegabits() * 1e6;
        groups.add(
            new TrafficGroup("g" + i, flows.get(i), 0, Long.MAX_VALUE, true, wanted, null, null));
      }
    }
    for (int t = 0; t < drawn.tenants().size(); t++) {
      TenantPlan plan = drawn.tenants().get(t);
      shares.setDue(
          "t" + t,
          new MaxMinShares.Due(
              plan.weight(), plan.guaranteeMegabits() * 1e6, orNone(plan.ceilingMegabits())));
    }
    return shares.of(groups, wantedMegabits);
  }

  private void describe(MaxMinShares shares, Endpoint endpoint, EndpointPlan plan) {
    if (drawn.tenants().get(plan.tenant()).isShared()) {
      shares.setTenant(endpoint, "t" + plan.tenant());
    }
    shares.setWeight(endpoint, plan.weight());
    shares.setGuarantee(endpoint, plan.guaranteeMegabits() * 1e6);
    shares.setCeiling(endpoint, orNone(plan.ceilingMegabits()));
  }

  private static double orNone(double megabits) {
    return megabits > 0 ? megabits * 1e6 : Double.POSITIVE_INFINITY;
  }
}
