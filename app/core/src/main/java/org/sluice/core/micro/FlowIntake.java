// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.EndedFlows;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.LargeFlow;
import org.sluice.api.link.ReportedEndpoint;
import org.sluice.engine.collections.Slots;
import org.sluice.engine.micro.MicroFlowControl;
import org.sluice.engine.path.Path;

/**
 * Takes in how much flows have sent: large ones become background flows, with the feeders on their
 * way; sizes of those that ended go to the levels. What one host can report is bounded. Engine
 * thread only.
 */
final class FlowIntake {
  /** Of 65,536 background flows in all. */
  static final int FLOWS_PER_HOST = 4_096;

  /** Of these, seen by switches alone. */
  static final int FLOWS_OF_SWITCHES = 32_768;

  /**
   * Sizes of one host that count in a period of the levels: beyond that it would outweigh others.
   */
  static final int ENDED_PER_HOST = 1_000;

  private final MicroFlowContext context;
  private final MicroFlowControl control;
  private final Feeders feeders;
  private final PortEstimates estimates;
  private final long endedPeriodNanos;
  private final Map<FlowKey, TrackedFlow> flows = new HashMap<>();

  /** By host; under null those that switches have seen. */
  private final Map<HostId, Integer> flowsOf = new HashMap<>();

  /** By endpoint, or by address where that is nobody's: a number for the engine. */
  private final Map<Object, Owner> owners = new HashMap<>();

  private final Slots ownerNumbers = new Slots();
  private final Map<HostId, Long> endedOf = new HashMap<>();
  private long endedNanos = Long.MIN_VALUE;
  private TrackedFlow candidate;
  private long refusedFlows;
  private long refusedSizes;

  /** Whose flows count as one sender's. */
  static final class Owner {
    private final Object identity;
    private final int number;
    private int flows;

    private Owner(Object identity, int number) {
      this.identity = identity;
      this.number = number;
    }
  }

  FlowIntake(
      MicroFlowContext context,
      MicroFlowControl control,
      Feeders feeders,
      PortEstimates estimates,
      long endedPeriodNanos) {
    this.context = context;
    this.control = control;
    this.feeders = feeders;
    this.estimates = estimates;
    this.endedPeriodNanos = endedPeriodNanos;
  }

  /** A host's agent reports; the link has left out what is not its endpoints'. */
  void take(FlowSizeReport report, long nowNanos) {
    for (LargeFlow flow : report.large()) {
      Optional<ReportedEndpoint> source = context.endpoints.holder(flow.flow().source());
      if (source.isPresent() && source.get().id().host().equals(report.host())) {
        if (flow.ended()) {
          control.forget(flow.flow());
        } else {
          seen(flow.flow(), flow.sentBytes(), report.host(), source, nowNanos);
        }
      }
    }
    for (EndedFlows ended : report.ended()) {
      ended(report.host(), ended, nowNanos);
    }
  }

  private void ended(HostId host, EndedFlows ended, long nowNanos) {
    if (endedNanos == Long.MIN_VALUE || nowNanos - endedNanos >= endedPeriodNanos) {
      endedNanos = nowNanos;
      endedOf.clear();
    }
    long before = endedOf.getOrDefault(host, 0L);
    long taken = Math.min(ended.flows(), ENDED_PER_HOST - before);
    if (taken > 0) {
      endedOf.put(host, before + taken);
      control.ended(ended.bytes(), taken);
    }
    refusedSizes += ended.flows() - taken;
  }

  /** Switches have seen a flow: of one whose agent reports flows they add nothing. */
  void takeOfSwitches(SampledFlow seen, long nowNanos) {
    FlowKey flow = seen.flow();
    TrackedFlow known = flows.get(flow);
    if (known != null && known.reporter != null) {
      return;
    }
    if (seen.isEnded()) {
      control.forget(flow);
    } else {
      seen(flow, seen.sentBytes(), null, context.endpoints.holder(flow.source()), nowNanos);
    }
  }

  private void seen(
      FlowKey key, long bytes, HostId reporter, Optional<ReportedEndpoint> source, long nowNanos) {
    TrackedFlow known = flows.get(key);
    if (known != null && known.reporter == null && reporter != null) {
      control.forget(key); // Its agent knows better what switches have only sampled.
      known = null;
    }
    if (known == null) {
      int most = reporter == null ? FLOWS_OF_SWITCHES : FLOWS_PER_HOST;
      if (flowsOf.getOrDefault(reporter, 0) >= most) {
        refusedFlows++;
        return;
      }
      known =
          new TrackedFlow(
              key,
              reporter,
              source.map(ReportedEndpoint::id),
              source.map(endpoint -> context.tenants.tenantOf(endpoint).id()),
              owner(key, source),
              nowNanos);
    }
    if (known.version != feeders.version()) {
      route(known, source);
    }
    long more = known.sent(bytes, nowNanos);
    known.path.ifPresent(path -> estimates.sentByBackground(path, more));
    candidate = known;
    control.observeFlow(key, bytes, known.owner.number, known.route.numbers, nowNanos);
    forgetUnused(known.owner);
  }

  private void route(TrackedFlow flow, Optional<ReportedEndpoint> source) {
    Optional<Path> path =
        source.isPresent()
            ? context.paths.path(source.get().id(), flow.key.destination())
            : context.paths.path(flow.key.source(), flow.key.destination());
    flow.version = feeders.version();
    flow.path = path;
    flow.route = path.map(feeders::on).orElse(Route.NONE);
    flow.ports = path.map(FlowIntake::switchPorts).orElse(List.of());
  }

  private static List<PortId> switchPorts(Path path) {
    List<PortId> ports = new ArrayList<>();
    for (Path.Hop hop : path.hops()) {
      if (!hop.port().isReceiver()) {
        ports.add(hop.port());
      }
    }
    return List.copyOf(ports);
  }

  private Owner owner(FlowKey flow, Optional<ReportedEndpoint> source) {
    Object identity = source.isPresent() ? source.get().id() : flow.source();
    return owners.computeIfAbsent(identity, id -> new Owner(id, ownerNumbers.take()));
  }

  private void forgetUnused(Owner owner) {
    if (owner.flows == 0) {
      owners.remove(owner.identity);
      ownerNumbers.giveBack(owner.number);
    }
  }

  /** The engine has taken a flow in. */
  void begun(FlowKey flow) {
    flows.put(flow, candidate);
    candidate.owner.flows++;
    flowsOf.merge(candidate.reporter, 1, Integer::sum);
  }

  /** The engine has forgotten a flow. */
  void forgotten(FlowKey flow) {
    TrackedFlow known = flows.remove(flow);
    if (known != null) {
      flowsOf.computeIfPresent(known.reporter, (host, count) -> count > 1 ? count - 1 : null);
      known.owner.flows--;
      forgetUnused(known.owner);
    }
  }

  Collection<TrackedFlow> flows() {
    return flows.values();
  }

  /** How often a flow was left out, since its host had too many or the table was full. */
  long refusedFlows() {
    return refusedFlows + control.refusedFlows();
  }

  /** How many ended flows did not count, since their host had too many. */
  long refusedSizes() {
    return refusedSizes;
  }
}
