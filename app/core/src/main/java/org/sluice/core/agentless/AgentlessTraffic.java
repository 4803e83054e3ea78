// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.agentless;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.api.link.PairSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.core.loop.EngineFeed;
import org.sluice.core.loop.EngineLoop;

/**
 * What machines without an agent send each other, which nobody reports. What enters by an edge port
 * and arrives at no agent goes to those ports without one, to each in proportion to all that leaves
 * by it, and no more than that: the gravity model of traffic matrices (Zhang, Roughan, Duffield and
 * Greenberg, "Fast accurate computation of large-scale IP traffic matrices from link loads", 2003,
 * section 3.1). What comes from elsewhere through a router goes to agents, too, and is bounded by
 * the latter alone. The engine gets it as if their hosts had reported it. Engine thread only.
 */
public final class AgentlessTraffic implements EngineFeed.Tap, EngineLoop.Part {
  /** Estimates come so often, ns. */
  static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** A port that has not been read for so long, ns, may send anything. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Less than that, bit/s, is no traffic that anybody has to be held to a share of. */
  private static final double LEAST_BITS_PER_SECOND = 50_000;

  /** What is in flight between a port and its receivers makes such a part of it. */
  private static final double LEAST_PART = 0.05;

  /** The largest receivers of a sender stand for all. */
  private static final int MOST_RECEIVERS = 16;

  private static final int BYTES_PER_PACKET = 1000;

  private final AgentlessEndpoints endpoints;
  private final ToLongFunction<EndpointId> arrivingBitsPerSecond;
  private final ToLongFunction<EndpointId> limitBitsPerSecond;
  private final Consumer<HostObservation> engine;
  private final Map<PortId, Edge> edges = new HashMap<>();
  private List<ReportedEndpoint> followed = List.of();
  private long nextNanos = Long.MIN_VALUE;

  /** An edge port, and what was counted there since the last estimate. */
  private static final class Edge {
    final EndpointId endpoint;
    final IpAddress address;
    long rxBytes;
    long txBytes;
    long intervalNanos;
    long readNanos = Long.MIN_VALUE;
    double rxBitsPerSecond;
    double txBitsPerSecond;

    /** What senders are taken to send here, before the port's own counter bounds it. */
    double expectedBitsPerSecond;

    Edge(EndpointId endpoint, IpAddress address) {
      this.endpoint = endpoint;
      this.address = address;
    }

    void estimate(long now) {
      expectedBitsPerSecond = 0;
      if (intervalNanos >= INTERVAL_NANOS / 2) {
        rxBitsPerSecond = rxBytes * 8e9 / intervalNanos;
        txBitsPerSecond = txBytes * 8e9 / intervalNanos;
        rxBytes = 0;
        txBytes = 0;
        intervalNanos = 0;
      } else if (readNanos == Long.MIN_VALUE || now - readNanos > FRESH_NANOS) {
        rxBitsPerSecond = 0;
        txBitsPerSecond = 0;
      }
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

  /**
   * One that has seen nothing yet.
   *
   * @param arrivingBitsPerSecond what agents report to arrive from an endpoint
   * @param limitBitsPerSecond what switches hold an endpoint to; 0: nothing
   * @param engine takes what is estimated
   */
  public AgentlessTraffic(
      AgentlessEndpoints endpoints,
      ToLongFunction<EndpointId> arrivingBitsPerSecond,
      ToLongFunction<EndpointId> limitBitsPerSecond,
      Consumer<HostObservation> engine) {
    this.endpoints = endpoints;
    this.arrivingBitsPerSecond = arrivingBitsPerSecond;
    this.limitBitsPerSecond = limitBitsPerSecond;
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
      edge.rxBytes += sample.rxBytes();
      edge.txBytes += sample.txBytes();
      edge.intervalNanos += sample.intervalNanos();
      edge.readNanos = receivedNanos;
    }
  }

  @Override
  public void follow(long nowNanos) {
    List<ReportedEndpoint> now = endpoints.reported();
    if (now == followed) {
      return;
    }
    followed = now;
    Map<EndpointId, PortId> ports = endpoints.ports();
    Map<PortId, Edge> before = new HashMap<>(edges);
    edges.clear();
    for (ReportedEndpoint endpoint : now) {
      PortId port = ports.get(endpoint.id());
      if (port != null) {
        Edge known = before.get(port);
        boolean isSame = known != null && endpoint.ips().contains(known.address);
        edges.put(port, isSame ? known : new Edge(endpoint.id(), Collections.min(endpoint.ips())));
      }
    }
  }

  @Override
  public void step(long nowNanos) {
    if (edges.isEmpty() || nextNanos != Long.MIN_VALUE && nowNanos - nextNanos < 0) {
      return;
    }
    nextNanos = nowNanos + INTERVAL_NANOS;
    List<Edge> receivers = new ArrayList<>();
    for (Edge edge : edges.values()) {
      edge.estimate(nowNanos);
      if (edge.txBitsPerSecond >= LEAST_BITS_PER_SECOND) {
        receivers.add(edge);
      }
    }
    receivers.sort((a, b) -> Double.compare(b.txBitsPerSecond, a.txBitsPerSecond));
    List<Flow> flows = new ArrayList<>();
    for (Edge sender : edges.values()) {
      double rest = unexplained(sender);
      if (rest > 0) {
        divide(sender, rest, receivers, flows);
      }
    }
    report(flows, nowNanos);
  }

  /** Of what passes an edge port, the part that arrives at no agent, bit/s. */
  private double unexplained(Edge sender) {
    if (sender.rxBitsPerSecond < LEAST_BITS_PER_SECOND) {
      return 0;
    }
    long limit = limitBitsPerSecond.applyAsLong(sender.endpoint);
    double passed = limit > 0 ? Math.min(sender.rxBitsPerSecond, limit) : sender.rxBitsPerSecond;
    double rest = passed - arrivingBitsPerSecond.applyAsLong(sender.endpoint);
    return rest >= Math.max(LEAST_BITS_PER_SECOND, LEAST_PART * passed) ? rest : 0;
  }

  private static void divide(Edge sender, double rest, List<Edge> receivers, List<Flow> flows) {
    List<Edge> mine = new ArrayList<>();
    double sum = 0;
    for (int i = 0; i < receivers.size() && mine.size() < MOST_RECEIVERS; i++) {
      if (receivers.get(i) != sender) {
        mine.add(receivers.get(i));
        sum += receivers.get(i).txBitsPerSecond;
      }
    }
    for (Edge receiver : mine) {
      double rate = rest * receiver.txBitsPerSecond / sum;
      receiver.expectedBitsPerSecond += rate;
      flows.add(new Flow(sender, receiver, rate));
    }
  }

  private void report(List<Flow> flows, long nowNanos) {
    Map<HostId, List<PairSample>> pairs = new TreeMap<>();
    for (Flow flow : flows) {
      Edge to = flow.receiver;
      double part = Math.min(1, to.txBitsPerSecond / to.expectedBitsPerSecond);
      long bytes = Math.round(flow.bitsPerSecond * part * INTERVAL_NANOS / 8e9);
      if (bytes > 0) {
        long packets = Math.max(1, bytes / BYTES_PER_PACKET);
        pairs
            .computeIfAbsent(flow.sender.endpoint.host(), host -> new ArrayList<>())
            .add(PairSample.of(flow.sender.address, to.address, packets, bytes, 0, 0, 0));
      }
    }
    pairs.forEach(
        (host, its) ->
            engine.accept(HostObservation.of(host, nowNanos, INTERVAL_NANOS, its, List.of())));
  }
}
