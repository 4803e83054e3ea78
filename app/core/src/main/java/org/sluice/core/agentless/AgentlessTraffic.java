// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.agentless;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.counter.RecentRate;
import org.sluice.core.loop.EngineFeed;
import org.sluice.core.loop.EngineLoop;
import org.sluice.engine.Engine;

/**
 * What machines without an agent send each other, which nobody reports. Of what leaves by an edge
 * port to such machines, what agents' endpoints do not send comes from the other ports without an
 * agent, from each in proportion to what enters there and arrives at no agent, and no more than
 * that: the gravity model of traffic matrices (Zhang, Roughan, Duffield and Greenberg, "Fast
 * accurate computation of large-scale IP traffic matrices from link loads", 2003, section 3.1). The
 * engine gets it as if their hosts had reported it. Engine thread only.
 */
public final class AgentlessTraffic implements EngineFeed.Tap, EngineLoop.Part {
  /** Estimates come so often, ns. */
  static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Rates are of so long, ns. */
  private static final long RATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A port that has not been read for so long, ns, may carry anything. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Less than that, bit/s, is no traffic that anybody has to be held to a share of. */
  private static final double LEAST_BITS_PER_SECOND = 50_000;

  /** What is in flight between two counters makes such a part of what they count. */
  private static final double LEAST_PART = 0.05;

  /** The ports with most of it stand for all, so that work does not grow with their square. */
  private static final int MOST_PORTS = 64;

  private static final int BYTES_PER_PACKET = 1000;

  private final AgentlessEndpoints endpoints;
  private final Engine engine;
  private final Map<PortId, Edge> edges = new TreeMap<>();
  private long followedEpoch = -1;
  private Predicate<EndpointId> hasAgent = id -> true;
  private long nextNanos = Long.MIN_VALUE;

  /** An edge port, and what was counted there of late. */
  private static final class Edge {
    final PortId port;
    final List<EndpointId> endpoints = new ArrayList<>();
    final List<IpAddress> addresses = new ArrayList<>();
    private final RecentRate rx = new RecentRate(RATE_NANOS);
    private final RecentRate tx = new RecentRate(RATE_NANOS);
    long readNanos;

    // In an estimate:
    double sentBitsPerSecond;
    double receivedBitsPerSecond;
    double assignedBitsPerSecond;

    Edge(PortId port) {
      this.port = port;
    }

    void take(PortSample sample, long receivedNanos) {
      rx.add(sample.rxBytes(), sample.intervalNanos());
      tx.add(sample.txBytes(), sample.intervalNanos());
      readNanos = receivedNanos;
    }

    boolean isFresh(long now) {
      return now - readNanos <= FRESH_NANOS;
    }
  }

  /** What one port's machines are taken to send to another's. */
  private static final class Flow {
    final Edge sender;
    final Edge receiver;
    final double bitsPerSecond;

    Flow(Edge sender, Edge receiver, double bitsPerSecond) {
      this.sender = sender;
      this.receiver = receiver;
      this.bitsPerSecond = bitsPerSecond;
    }
  }

  /** One that has seen nothing yet. */
  public AgentlessTraffic(AgentlessEndpoints endpoints, Engine engine) {
    this.endpoints = endpoints;
    this.engine = engine;
  }

  @Override
  public void sent(HostObservation observation) {
    // Of hosts with agents.
  }

  @Override
  public void queued(PortQueueObservation observation) {
    // Edge ports are counted whole.
  }

  @Override
  public void counted(PortSample sample, long receivedNanos) {
    Edge edge = edges.get(sample.port());
    if (edge != null) {
      edge.take(sample, receivedNanos);
    }
  }

  @Override
  public void follow(long nowNanos) {
    long now = endpoints.epoch().get();
    if (now == followedEpoch) {
      return;
    }
    followedEpoch = now;
    Map<EndpointId, PortId> ports = new TreeMap<>(endpoints.ports());
    hasAgent = id -> !ports.containsKey(id);
    Map<PortId, Edge> before = new HashMap<>(edges);
    edges.clear();
    ports.forEach(
        (id, port) -> {
          Optional<ReportedEndpoint> endpoint = endpoints.endpoint(id);
          if (endpoint.isPresent()) {
            Edge edge =
                edges.computeIfAbsent(port, each -> begin(each, before.get(each), nowNanos));
            edge.endpoints.add(id);
            edge.addresses.add(Collections.min(endpoint.get().ips()));
          }
        });
  }

  private static Edge begin(PortId port, Edge before, long nowNanos) {
    if (before == null) {
      Edge added = new Edge(port);
      added.readNanos = nowNanos;
      return added;
    }
    before.endpoints.clear();
    before.addresses.clear();
    return before;
  }

  @Override
  public void step(long nowNanos) {
    if (edges.isEmpty() || nextNanos != Long.MIN_VALUE && nowNanos - nextNanos < 0) {
      return;
    }
    nextNanos = nowNanos + INTERVAL_NANOS;
    for (Edge edge : edges.values()) {
      boolean isFresh = edge.isFresh(nowNanos);
      edge.assignedBitsPerSecond = 0;
      edge.sentBitsPerSecond = isFresh ? rest(edge.rx.bitsPerSecond(), arriving(edge)) : 0;
      edge.receivedBitsPerSecond =
          isFresh
              ? rest(edge.tx.bitsPerSecond(), engine.passingBitsPerSecond(edge.port, hasAgent))
              : 0;
    }
    List<Edge> senders = largest(Comparator.comparingDouble(edge -> edge.sentBitsPerSecond));
    List<Edge> receivers = largest(Comparator.comparingDouble(edge -> edge.receivedBitsPerSecond));
    List<Flow> flows = new ArrayList<>();
    receivers.forEach(receiver -> divide(receiver, senders, flows));
    report(flows, nowNanos);
  }

  private double arriving(Edge edge) {
    return edge.endpoints.stream().mapToLong(engine::arrivingBitsPerSecond).sum();
  }

  private static double rest(double all, double explained) {
    double rest = all - explained;
    return rest < Math.max(LEAST_BITS_PER_SECOND, LEAST_PART * all) ? 0 : rest;
  }

  private List<Edge> largest(Comparator<Edge> by) {
    List<Edge> sorted = new ArrayList<>(edges.values());
    sorted.sort(by.reversed());
    return sorted.subList(0, Math.min(MOST_PORTS, sorted.size()));
  }

  private static void divide(Edge receiver, List<Edge> senders, List<Flow> flows) {
    double sum = 0;
    for (Edge sender : senders) {
      sum += sender == receiver ? 0 : sender.sentBitsPerSecond;
    }
    for (Edge sender : senders) {
      double part = sender == receiver || sum == 0 ? 0 : sender.sentBitsPerSecond / sum;
      double rate = receiver.receivedBitsPerSecond * part;
      if (rate > 0) {
        sender.assignedBitsPerSecond += rate;
        flows.add(new Flow(sender, receiver, rate));
      }
    }
  }

  /** Nobody knows which machine behind a port sends it: each an equal part. */
  private void report(List<Flow> flows, long nowNanos) {
    Map<HostId, List<PairSample>> pairs = new TreeMap<>();
    for (Flow flow : flows) {
      Edge sender = flow.sender;
      double part = Math.min(1, sender.sentBitsPerSecond / sender.assignedBitsPerSecond);
      double each = flow.bitsPerSecond * part / sender.endpoints.size();
      long bytes = Math.round(each * INTERVAL_NANOS / 8e9);
      if (bytes > 0) {
        long packets = Math.max(1, bytes / BYTES_PER_PACKET);
        IpAddress to = flow.receiver.addresses.get(0);
        List<PairSample> its =
            pairs.computeIfAbsent(sender.endpoints.get(0).host(), host -> new ArrayList<>());
        sender.addresses.forEach(from -> its.add(PairSample.of(from, to, packets, bytes, 0, 0, 0)));
      }
    }
    pairs.forEach(
        (host, its) ->
            engine.observe(HostObservation.of(host, nowNanos, INTERVAL_NANOS, its, List.of())));
  }
}
