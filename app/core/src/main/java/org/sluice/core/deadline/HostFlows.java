// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.engine.deadline.Deadlines;
import org.sluice.engine.deadline.LossAnswers;

/**
 * Gives {@link Deadlines} and {@link LossAnswers} what hosts and switches report of flows. For the
 * engine's thread.
 */
final class HostFlows implements FlowPaths.Nics {
  private final Deadlines deadlines;
  private final LossAnswers losses;
  private final SwitchObservations switches;
  private FlowPaths paths;
  private final Map<HostId, Set<IpAddress>> sources = new HashMap<>();
  private final Map<HostId, Long> nics = new HashMap<>();

  private long nicsEpoch;

  /** Hosts without a session, and since when, ns. */
  private final Map<HostId, Long> away = new HashMap<>();

  HostFlows(Deadlines deadlines, LossAnswers losses) {
    this.deadlines = deadlines;
    this.losses = losses;
    switches = new SwitchObservations(deadlines);
  }

  SwitchObservations switches() {
    return switches;
  }

  void setPaths(FlowPaths value) {
    paths = value;
  }

  @Override
  public long capacityBitsPerSecond(HostId host) {
    return nics.getOrDefault(host, 0L);
  }

  @Override
  public long epoch() {
    return nicsEpoch;
  }

  /** A new session knows nothing of what the last one was sent. */
  void connected(HostHello hello) {
    away.remove(hello.host());
    Long before = nics.put(hello.host(), hello.uplinkCapacityBitsPerSecond());
    if (before == null || before != hello.uplinkCapacityBitsPerSecond()) {
      nicsEpoch++;
    }
    endpoints(hello.host(), hello.endpoints());
    deadlines.republish(sourcesOf(hello.host()));
  }

  /** Its endpoints are these; those that have come to it know nothing of what others were sent. */
  void endpoints(HostId host, List<ReportedEndpoint> endpoints) {
    Set<IpAddress> ips = new HashSet<>();
    endpoints.forEach(endpoint -> ips.addAll(endpoint.ips()));
    Set<IpAddress> news = new HashSet<>(ips);
    news.removeAll(sourcesOf(host));
    sources.put(host, ips);
    if (!news.isEmpty()) {
      deadlines.republish(news);
    }
  }

  void disconnected(HostId host, long nowNanos) {
    away.put(host, nowNanos);
  }

  private Set<IpAddress> sourcesOf(HostId host) {
    return sources.getOrDefault(host, Set.of());
  }

  /** Nobody reports the flows of a host that has been away for a lease. */
  void step(long nowNanos, long leaseNanos) {
    switches.over(nowNanos).forEach(flow -> deadlines.closed(flow, nowNanos));
    if (away.isEmpty()) {
      return;
    }
    for (Map.Entry<HostId, Long> each : Map.copyOf(away).entrySet()) {
      if (nowNanos - each.getValue() >= leaseNanos) {
        away.remove(each.getKey());
        deadlines.forgetUnregistered(sourcesOf(each.getKey()), nowNanos);
        switches.forgetLost();
      }
    }
  }

  void reported(FlowReport report, long nowNanos) {
    for (FlowUpdate news : report.flows()) {
      long arrived = report.sentNanos() - news.progressAgeNanos();
      switches
          .reported(news, nowNanos)
          .ifPresent(remainder -> report(remainder, arrived, nowNanos));
    }
    if (report.complete()) {
      Set<FlowKey> named = new HashSet<>();
      report.flows().forEach(news -> named.add(news.flow()));
      named.addAll(switches.open());
      deadlines.closeOthers(sourcesOf(report.host()), named, nowNanos);
    }
  }

  private void report(FlowUpdate news, long arrivedNanos, long nowNanos) {
    FlowKey flow = news.flow();
    OptionalLong known = deadlines.deliveredBytes(flow);
    boolean ended = news.state() == FlowUpdate.State.CLOSED;
    // One that came and went between two reports counts, too; and less than before is another one.
    boolean begins =
        known.isEmpty()
            ? !ended || news.deliveredBytes() > 0
            : news.state() == FlowUpdate.State.OPENED && news.deliveredBytes() < known.getAsLong();
    if (begins) {
      open(flow, news.roundTripNanos(), nowNanos);
    }
    deadlines.progressed(
        flow, news.deliveredBytes(), news.roundTripNanos(), arrivedNanos, nowNanos);
    news.acknowledgedSequence().ifPresent(sequence -> losses.acknowledged(flow, sequence));
    if (ended) {
      deadlines.closed(flow, nowNanos);
    }
  }

  private void open(FlowKey flow, long roundTripNanos, long nowNanos) {
    List<PortId> path = paths.path(flow).orElse(List.of());
    deadlines.opened(flow, path, roundTripNanos, nowNanos);
  }

  /** A switch saw a connection begin. */
  void connectionBegan(FlowKey flow, long nowNanos) {
    if (switches.begins(flow, nowNanos)) {
      open(flow, 0, nowNanos);
    }
  }
}
