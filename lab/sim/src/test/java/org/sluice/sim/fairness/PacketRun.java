// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.sluice.api.SluiceException;
import org.sluice.api.Tenant;
import org.sluice.api.TenantId;
import org.sluice.sim.deployment.SluiceDeployment;
import org.sluice.sim.deployment.SluiceParameters;
import org.sluice.sim.fairness.FairnessCase.EndpointPlan;
import org.sluice.sim.fairness.FairnessCase.TenantPlan;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;
import org.sluice.sim.queue.JitteredQueue;
import org.sluice.sim.queue.RedParameters;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.SendingPattern;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;
import org.sluice.sim.transport.UdpFlow;

/**
 * A case with packets: hosts' laws, queues that mark, the controller beyond a channel. Greedy ones
 * send by TCP or as fast as UDP can; of light ones, which send by UDP, those that pause do so every
 * 40 ms for 40 ms and send twice as fast between.
 */
final class PacketRun {
  private static final long ACCESS_BITS_PER_SECOND = 1_000_000_000L;
  private static final int PACKET_BYTES = 1500;

  /** max(500 us, 5 RTT) at these speeds. */
  private static final long TAU_NANOS = 2_500_000;

  private static final long PAUSE_NANOS = 40_000_000;
  private static final long JITTER_NANOS = 5_000;
  private static final long START_SPREAD_NANOS = 10_000_000;
  private static final long FROM_NANOS = 2_000_000_000L;
  private static final long TO_NANOS = 5_000_000_000L;

  private final CaseNetwork network;

  PacketRun(FairnessCase drawn, long seed) {
    QueueFactory marking = QueueFactory.red(RedParameters.step(100, 20, RedParameters.NonEct.DROP));
    QueueFactory dropTail = QueueFactory.dropTail(100);
    QueueFactory jittered =
        (link, random) -> new JitteredQueue(dropTail.create(link, random), JITTER_NANOS, random);
    network =
        new CaseNetwork(drawn, seed, ACCESS_BITS_PER_SECOND, jittered, marking, PacketRun::newFlow);
    deploy();
    SplittableRandom random = network.network.random().stream("start");
    network.flows.forEach(
        own -> own.forEach(flow -> flow.start(random.nextLong(START_SPREAD_NANOS))));
  }

  private static Flow newFlow(
      Network network, String name, Endpoint from, Endpoint to, EndpointPlan plan) {
    if (plan.isGreedy() && plan.isTcp()) {
      return new TcpFlow(network, name, from, to, TcpParameters.DEFAULTS, TcpFlow.ENDLESS);
    }
    boolean pauses = pauses(plan);
    double megabits = plan.isGreedy() ? 150 : plan.wantedMegabits() * (pauses ? 2 : 1);
    SendingPattern pattern =
        pauses ? SendingPattern.fixed(PAUSE_NANOS, PAUSE_NANOS) : SendingPattern.CONSTANT;
    return new UdpFlow(network, name, from, to, Math.round(megabits * 1e6), PACKET_BYTES, pattern);
  }

  private static boolean pauses(EndpointPlan plan) {
    return !plan.isGreedy() && !plan.sendsInSecondPhase();
  }

  private void deploy() {
    SluiceDeployment deployment =
        SluiceDeployment.install(
            network.network, SluiceParameters.builder().tauNanos(TAU_NANOS).build());
    for (int i = 0; i < network.endpoints.size(); i++) {
      EndpointPlan plan = network.drawn.endpoints().get(i);
      Endpoint endpoint = network.endpoints.get(i);
      deployment.setWeight(endpoint, plan.weight(), 0);
      deployment.setGuarantee(endpoint, bits(plan.guaranteeMegabits()), 0);
      deployment.setCeiling(endpoint, bits(plan.ceilingMegabits()), 0);
    }
    for (int t = 0; t < network.drawn.tenants().size(); t++) {
      TenantPlan plan = network.drawn.tenants().get(t);
      if (plan.isShared()) {
        deployment.setTenant(tenant("t" + t, plan), members(t), 0);
      }
    }
  }

  private List<Endpoint> members(int tenant) {
    return network.endpoints.stream()
        .filter(
            each ->
                network.drawn.endpoints().get(network.endpoints.indexOf(each)).tenant() == tenant)
        .toList();
  }

  private static Tenant tenant(String name, TenantPlan plan) {
    try {
      return Tenant.builder(TenantId.of(name))
          .weight(plan.weight())
          .guaranteeBitsPerSecond(bits(plan.guaranteeMegabits()))
          .ceilingBitsPerSecond(bits(plan.ceilingMegabits()))
          .build();
    } catch (SluiceException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long bits(double megabits) {
    return Math.round(megabits * 1e6);
  }

  /** What each endpoint gets from 2 to 5 s, beside its due. Who pauses demands what it got. */
  Outcome run() {
    Map<Flow, Long> before = receivedAt(FROM_NANOS);
    Map<Flow, Double> got = new HashMap<>();
    receivedAt(TO_NANOS)
        .forEach(
            (flow, bytes) ->
                got.put(flow, (bytes - before.get(flow)) * 8e3 / (TO_NANOS - FROM_NANOS)));
    Map<Flow, Double> wanted = new HashMap<>();
    for (int i = 0; i < network.flows.size(); i++) {
      if (pauses(network.drawn.endpoints().get(i))) {
        network.flows.get(i).forEach(flow -> wanted.put(flow, got.get(flow)));
      }
    }
    return Outcome.of(network, 0, network.due(each -> true, wanted), got::get);
  }

  private Map<Flow, Long> receivedAt(long nanos) {
    network.network.scheduler().runUntil(nanos);
    Map<Flow, Long> bytes = new HashMap<>();
    network.flows.forEach(
        own -> own.forEach(flow -> bytes.put(flow, flow.statistics().receivedIpBytes())));
    return bytes;
  }
}
