// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.sluice.sim.application.EndpointPairs;
import org.sluice.sim.application.FlowLauncher;
import org.sluice.sim.application.PoissonArrivals;
import org.sluice.sim.application.SizeDistribution;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.measure.TrafficGroup;
import org.sluice.sim.transport.EcnMode;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.TcpFlow;
import org.sluice.sim.transport.TcpParameters;

/** Flows as a scenario describes them, armed to start. */
final class TrafficBuilder {
  private static final int DEFAULT_PACKET_BYTES = 1500;

  private final BuiltScenario built;
  private final Fields tcp;
  private final long durationNanos;

  TrafficBuilder(BuiltScenario built, Fields tcp, long durationNanos) {
    this.built = built;
    this.tcp = tcp;
    valid(tcp, tcpParameters());
    this.durationNanos = durationNanos;
  }

  /** Adds all groups to what is built. */
  void build(Fields flows) {
    for (String name : flows.keys()) {
      built.groups().put(name, group(name, flows.at(name)));
    }
  }

  private TrafficGroup group(String name, Fields at) {
    long start = at.nanos("start", 0);
    long stop = at.nanos("stop", Long.MAX_VALUE);
    if (start >= durationNanos) {
      throw at.problem("start", "it lies behind the end of the run", "give less than duration");
    }
    if (stop <= start) {
      throw at.problem("stop", "it lies before the start", "give a time after start");
    }
    if (at.has("load")) {
      return arrivals(name, at, start, stop);
    }
    List<Pair> pairs = pairs(name, at);
    List<Flow> flows = new ArrayList<>();
    RecordedCompletions completions = new RecordedCompletions(at.bytes("bytes", TcpFlow.ENDLESS));
    for (Pair pair : pairs) {
      for (int i = 1; i <= (isRandom(at) ? 1 : at.integer("count", 1)); i++) {
        String flowName = name + "-" + (flows.size() + 1);
        flows.add(flow(flowName, at, pair, completions));
      }
    }
    arm(name, at, flows, start, stop);
    List<TcpFlow> connections = tcpFlows(flows);
    built.addConnections(() -> connections);
    boolean lasting = !at.has("bytes") && !at.has("on");
    long allStarted = start + at.nanos("startSpread", 0);
    return new TrafficGroup(
        name, flows, allStarted, stop, lasting, demandBitsPerSecond(at), turns(at), completions);
  }

  /** Only turns of fixed length are known beforehand. */
  private static TrafficGroup.Turns turns(Fields at) {
    if (!UdpFlows.hasFixedTurns(at)) {
      return null;
    }
    refuse(at, "startSpread", "turns of fixed length begin at start");
    return new TrafficGroup.Turns(at.nanos("on", 0), at.nanos("off", 0));
  }

  private static List<TcpFlow> tcpFlows(List<Flow> flows) {
    return flows.stream().filter(TcpFlow.class::isInstance).map(TcpFlow.class::cast).toList();
  }

  private static double demandBitsPerSecond(Fields at) {
    if (!at.text("transport", "").equals("udp")) {
      return Double.POSITIVE_INFINITY;
    }
    double on = at.nanos("on", 1);
    double off = at.has("off") ? at.nanos("off", 0) : 0;
    return at.bitsPerSecond("rate", 0) * on / (on + off);
  }

  /** Transfers that come by chance. */
  private TrafficGroup arrivals(String name, Fields at, long start, long stop) {
    for (String key :
        new String[] {"bytes", "repeat", "every", "count", "pairing", "rate", "on", "off"}) {
      refuse(at, key, "arrivals by load draw sizes and pairs");
    }
    FlowLauncher launcher = new FlowLauncher(built.network(), name, parameters(at));
    built.addConnections(launcher::flows);
    List<Endpoint> sources = built.endpoints(at, "from");
    SizeDistribution sizes = Sizes.of(at);
    double nics = sources.stream().mapToDouble(each -> nicBitsPerSecond(each)).sum();
    double load = nics * at.fraction("load", 0);
    if (load <= 0) {
      throw at.problem("load", "nothing would arrive", "give more than 0 %");
    }
    PoissonArrivals arrivals =
        new PoissonArrivals(
            built.network(),
            name,
            launcher,
            endpointPairs(at, sources),
            sizes,
            PoissonArrivals.rateForLoad(load, sizes));
    arrivals.start(start);
    if (stop < Long.MAX_VALUE) {
      arrivals.stop(stop);
    }
    LaunchedCompletions completions =
        new LaunchedCompletions(launcher.log(), parameters(at).mssBytes());
    return new TrafficGroup(
        name, List.of(), start, stop, false, Double.POSITIVE_INFINITY, null, completions);
  }

  private static double nicBitsPerSecond(Endpoint endpoint) {
    return endpoint.host().nic().rateBitsPerSecond();
  }

  private EndpointPairs endpointPairs(Fields at, List<Endpoint> sources) {
    try {
      return new EndpointPairs(sources, built.endpoints(at, "to"));
    } catch (IllegalArgumentException e) {
      throw at.problem("to", e.getMessage(), "name more destinations");
    }
  }

  private Flow flow(String name, Fields at, Pair pair, RecordedCompletions completions) {
    return at.text("transport", "").equals("udp")
        ? UdpFlows.flow(built.network(), name, at, pair.from(), pair.to())
        : tcpFlow(name, at, pair, completions);
  }

  private Flow tcpFlow(String name, Fields at, Pair pair, RecordedCompletions completions) {
    refuse(at, "rate", "TCP finds its rate itself");
    refuse(at, "on", "TCP sends all the time, or so many bytes");
    if (at.has("deadline") && (!at.has("bytes") || at.has("repeat"))) {
      throw at.problem(
          "deadline", "only one transfer with an end has one", "give bytes, no repeat");
    }
    refuse(at, "off", "TCP sends all the time, or so many bytes");
    refuse(at, "turns", "TCP sends all the time, or so many bytes");
    refuse(at, "gaps", "acknowledgements space what TCP sends");
    if (at.has("every") && !at.has("repeat")) {
      throw at.problem("every", "there is one transfer only", "give repeat too");
    }
    if (at.has("repeat") && !at.has("bytes")) {
      throw at.problem("repeat", "a transfer without an end is not repeated", "give bytes too");
    }
    long bytes = at.bytes("bytes", TcpFlow.ENDLESS);
    TcpFlow flow =
        new TcpFlow(built.network(), name, pair.from(), pair.to(), parameters(at), bytes);
    Repetition repetition =
        new Repetition(
            flow,
            at.integer("repeat", 1),
            at.nanos("every", 0),
            at.nanos("stop", Long.MAX_VALUE),
            completions,
            built.network().scheduler());
    flow.onComplete(repetition::completed);
    flow.onClosed(repetition::closed);
    return flow;
  }

  private static void refuse(Fields at, String key, String why) {
    if (at.has(key)) {
      throw at.problem(key, "the transport " + at.text("transport", "") + " has no such key", why);
    }
  }

  private TcpParameters parameters(Fields at) {
    TcpParameters.Builder builder = tcpParameters().congestionControl(congestionControl(at));
    if (at.has("packet")) {
      builder.mssBytes((int) at.bytes("packet", 0) - TcpParameters.HEADER_BYTES);
    }
    if (at.has("ecn")) {
      builder.ecn(EcnMode.valueOf(at.text("ecn", "").toUpperCase(Locale.ROOT)));
    }
    return valid(at, builder);
  }

  /** By its own name, or the one that all have. */
  private String congestionControl(Fields at) {
    String transport = at.text("transport", "");
    return transport.equals("tcp") ? tcp.text("congestionControl", "newreno") : transport;
  }

  /** What all TCP flows have in common. ECN is left open: each transport has its own. */
  private TcpParameters.Builder tcpParameters() {
    TcpParameters defaults = TcpParameters.DEFAULTS;
    return TcpParameters.builder()
        .routes(built.routes())
        .mssBytes(segmentBytes(tcp))
        .initialWindowSegments(tcp.integer("initialWindow", defaults.initialWindowSegments()))
        .growthLimitSegments(tcp.integer("growthLimit", defaults.growthLimitSegments()))
        .rtoInitialNanos(tcp.nanos("rtoInitial", defaults.rtoInitialNanos()))
        .rtoMinNanos(tcp.nanos("rtoMin", defaults.rtoMinNanos()))
        .delayedAck(tcp.flag("delayedAck", defaults.delayedAck()))
        .quickAckSegments(tcp.integer("quickAcks", defaults.quickAckSegments()))
        .delayedAckNanos(tcp.nanos("delayedAckTimeout", defaults.delayedAckNanos()))
        .halvesWindows(tcp.flag("halvesWindows", defaults.halvesWindows()))
        .sack(tcp.flag("sack", defaults.sack()))
        .timestamps(tcp.flag("timestamps", defaults.timestamps()))
        .ectOnSyn(tcp.flag("ectOnSyn", defaults.ectOnSyn()))
        .queueBoundNanos(tcp.nanos("queueBound", defaults.queueBoundNanos()))
        .receiveWindowBytes(tcp.bytes("receiveWindow", defaults.receiveWindowBytes()));
  }

  /** Payload of full segments, of flows that have no packets of their own. */
  static int segmentBytes(Fields tcp) {
    return (int) tcp.bytes("packet", DEFAULT_PACKET_BYTES) - TcpParameters.HEADER_BYTES;
  }

  private static TcpParameters valid(Fields at, TcpParameters.Builder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw at.problem("", "these values do not go together", e.getMessage());
    }
  }

  private record Pair(Endpoint from, Endpoint to) {}

  private List<Pair> pairs(String name, Fields at) {
    List<Endpoint> from = built.endpoints(at, "from");
    List<Endpoint> to = built.endpoints(at, "to");
    List<Pair> pairs = new ArrayList<>();
    if (at.text("pairing", "oneToOne").equals("eachToEach")) {
      for (Endpoint source : from) {
        to.forEach(destination -> addPair(pairs, source, destination));
      }
    } else if (isRandom(at)) {
      // Each flow of a source draws for itself.
      EndpointPairs drawn = endpointPairs(at, from);
      SplittableRandom random = built.network().random().stream("pairs " + name);
      for (int i = 0; i < at.integer("count", 1) * from.size(); i++) {
        Endpoint source = from.get(i % from.size());
        pairs.add(new Pair(source, drawn.destination(source, random)));
      }
    } else {
      for (int i = 0; i < Math.max(from.size(), to.size()); i++) {
        addPair(pairs, from.get(i % from.size()), to.get(i % to.size()));
      }
    }
    if (pairs.isEmpty()) {
      throw at.problem("to", "there is no destination but the sender itself", "name another");
    }
    return pairs;
  }

  private static boolean isRandom(Fields at) {
    return at.text("pairing", "oneToOne").equals("random");
  }

  @SuppressWarnings("ReferenceEquality") // A scenario's endpoint is one object.
  private static void addPair(List<Pair> pairs, Endpoint from, Endpoint to) {
    if (from != to) {
      pairs.add(new Pair(from, to));
    }
  }

  /** Sets a deadline, and registers it where that is possible. */
  private void setDeadline(TcpFlow flow, long requestedNanos, long beginsNanos, long dueNanos) {
    flow.setDeadlineNanos(dueNanos);
    if (built.deadlines() != null) {
      built.deadlines().register(flow, requestedNanos, beginsNanos, dueNanos);
    }
  }

  private void arm(String name, Fields at, List<Flow> flows, long start, long stop) {
    long spread = at.nanos("startSpread", 0);
    SplittableRandom random = built.network().random().stream("start " + name);
    for (Flow flow : flows) {
      long begins = start + (spread > 0 ? random.nextLong(spread) : 0);
      if (at.has("deadline")) {
        long requested = Math.max(0, begins - at.nanos("registeredBefore", 0));
        setDeadline((TcpFlow) flow, requested, begins, begins + at.nanos("deadline", 0));
      }
      flow.start(begins);
      if (stop < Long.MAX_VALUE) {
        flow.stop(stop);
      }
    }
  }
}
