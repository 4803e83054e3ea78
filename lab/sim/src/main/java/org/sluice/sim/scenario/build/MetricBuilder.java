// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.sluice.api.policy.PolicySet;
import org.sluice.sim.deployment.ControlTraffic;
import org.sluice.sim.deployment.HintRecord;
import org.sluice.sim.deployment.OracleTraffic;
import org.sluice.sim.scenario.document.Fields;
import org.sluice.sim.scenario.measure.CounterSampler;
import org.sluice.sim.scenario.measure.FabricMetrics;
import org.sluice.sim.scenario.measure.GroupMetrics;
import org.sluice.sim.scenario.measure.GroupSeries;
import org.sluice.sim.scenario.measure.Metric;
import org.sluice.sim.scenario.measure.PortMetrics;
import org.sluice.sim.scenario.measure.PortSeries;
import org.sluice.sim.scenario.measure.Statistic;
import org.sluice.sim.scenario.measure.TrafficGroup;
import org.sluice.sim.scenario.measure.Window;
import org.sluice.sim.transport.FlowStatistics;
import org.sluice.sim.transport.TcpFlow;

/** Measurements as a scenario describes them. */
final class MetricBuilder {
  private static final long DEFAULT_SPAN_NANOS = 50_000_000;
  private static final long LEAST_SPAN_NANOS = 10_000_000;
  private static final Map<String, ToLongFunction<FlowStatistics>> COUNTERS =
      Map.of(
          "retransmissions", FlowStatistics::retransmittedPackets,
          "timeouts", FlowStatistics::timeouts,
          "fastRetransmits", FlowStatistics::fastRetransmits,
          "sent", FlowStatistics::sentPackets);

  private final BuiltScenario built;
  private final CounterSampler sampler;

  private MetricBuilder(BuiltScenario built, CounterSampler sampler) {
    this.built = built;
    this.sampler = sampler;
  }

  /** By name, in the order of the scenario. */
  static Map<String, Metric> metrics(Fields measure, BuiltScenario built, CounterSampler sampler) {
    MetricBuilder builder = new MetricBuilder(built, sampler);
    Map<String, Metric> metrics = new LinkedHashMap<>();
    for (String name : measure.keys()) {
      metrics.put(name, builder.metric(measure.at(name)));
    }
    return metrics;
  }

  private Metric metric(Fields at) {
    return switch (at.text("kind", "")) {
      case "throughput" -> steady(at).throughput(window(at), statistic(at, "sum"));
      case "goodput" -> steady(at).goodput(window(at), statistic(at, "sum"));
      case "least" ->
          steady(at).least(window(at), onGrid(at, "over", at.nanos("over", LEAST_SPAN_NANOS)));
      case "share" ->
          lasting(at).share(window(at), statistic(at, "mean"), built.shares(), port(at));
      case "loss" -> lasting(at).loss(window(at), statistic(at, "mean"), built.shares(), port(at));
      case "deviation" -> lasting(at).deviation(window(at), built.shares(), port(at));
      case "unfairness" -> steady(at).unfairness(window(at), built.maxMin(), intermittent());
      case "fabric" -> fabric(at);
      case "fairFrom" -> fairFrom(at);
      case "settling" -> settling(at);
      case "jain" -> steady(at).jain(window(at));
      case "utilisation" -> PortMetrics.utilisation(port(at), window(at));
      case "queue" ->
          PortMetrics.queue(sampler, built.ports(at, "port"), window(at), statistic(at, "p99"));
      case "roundTrip" -> steady(at).roundTrip(statistic(at, "mean"));
      case "drain" -> steady(at).drain();
      case "completion" ->
          groups(at)
              .completion(
                  statistic(at, "mean"), at.bytes("atLeast", 0), at.bytes("below", Long.MAX_VALUE));
      case "idealCompletion" -> idealCompletion(at);
      case "oracle" -> oracle(at);
      case "messages" -> messages(at);
      default -> counter(at);
    };
  }

  private Metric fabric(Fields at) {
    FabricMetrics fabric = built.fabric(window(at), sampler);
    return switch (at.text("what", "")) {
      case "shortfall" -> fabric.shortfall();
      case "queue" -> fabric.queue();
      case "utilisation" -> fabric.utilisation();
      default -> fabric.deviation();
    };
  }

  private Metric idealCompletion(Fields at) {
    for (TrafficGroup group : built.groups(at, "of")) {
      if (!group.flows().isEmpty() || group.lasting()) {
        throw at.problem(
            "of",
            "the transfers of " + group.name() + " do not come by chance",
            "give a group with a load");
      }
    }
    return groups(at)
        .idealCompletion(
            statistic(at, "mean"),
            at.nanos("latency", 0),
            at.bytes("atLeast", 0),
            at.bytes("below", Long.MAX_VALUE));
  }

  /** Groups that send on and off at times that are not known beforehand. */
  private List<GroupSeries> intermittent() {
    return built.groups().values().stream()
        .filter(group -> !group.lasting() && group.turns() == null)
        .filter(group -> group.demandBitsPerSecond() < Double.POSITIVE_INFINITY)
        .map(sampler::watch)
        .toList();
  }

  private Metric fairFrom(Fields at) {
    long span = onGrid(at, "over", at.nanos("over", DEFAULT_SPAN_NANOS));
    return steady(at)
        .fairFrom(window(at), at.fraction("within", 0.05), span, built.maxMin(), intermittent());
  }

  private Metric settling(Fields at) {
    long span = onGrid(at, "over", at.nanos("over", DEFAULT_SPAN_NANOS));
    return lasting(at)
        .settling(window(at), at.fraction("within", 0.05), span, built.shares(), port(at));
  }

  private Metric counter(Fields at) {
    String what = at.text("what", "");
    if (what.equals("drops") || what.equals("dropRate") || what.equals("marks")) {
      require(at, "port", "give the port whose " + what + " are meant");
      return switch (what) {
        case "drops" -> PortMetrics.drops(port(at));
        case "dropRate" -> PortMetrics.dropRate(port(at));
        default -> PortMetrics.marks(port(at));
      };
    }
    if (what.equals("caps")) {
      return built::caps;
    }
    require(at, "of", "give the group of flows whose " + what + " are meant");
    return switch (what) {
      case "completed" -> groups(at).completed();
      case "missed" -> steady(at).missed();
      case "met" -> steady(at).met();
      case "broken" -> steady(at).missedOf(this::isPromised);
      case "refused" -> steady(at).refusedOf(this::isPromised);
      case "needless" -> steady(at).missedIfAll(this::isPromised);
      case "resent" -> steady(at).resent();
      case "timedOut" -> steady(at).timedOut();
      default -> steady(at).counter(COUNTERS.get(what));
    };
  }

  /** Of OpenTCP; 0 without it. */
  private Metric oracle(Fields at) {
    HintRecord hints = built.hints();
    long cycle = at.nanos("cycle", PolicySet.CYCLE_NANOS);
    if (cycle == 0) {
      throw at.problem("cycle", "it must be above 0", "such as 1 s");
    }
    if (hints == null) {
      return () -> 0;
    }
    return switch (at.text("what", "")) {
      case "collection" -> () -> OracleTraffic.collectionKilobits(built.network(), cycle);
      case "hintTraffic" -> hints::kilobits;
      case "mostHintTraffic" -> () -> hints.mostKilobits(cycle);
      case "hints" -> hints::messages;
      case "changes" -> hints::changes;
      case "hintedPart" -> hints::hintedPart;
      case "restore" -> () -> hints.restoredMillis(at.nanos("from", 0));
      default -> hints::rtoMinMillis;
    };
  }

  /** Of the law's control plane, per second; 0 where it has none. */
  private Metric messages(Fields at) {
    ControlTraffic traffic = built.controlTraffic();
    boolean amongHosts = at.text("between", "").equals("hosts");
    return sampler
        .watch(amongHosts ? traffic::hostMessages : traffic::controllerMessages)
        .perSecond(window(at));
  }

  private boolean isPromised(TcpFlow flow) {
    return built.deadlines() != null && built.deadlines().isPromised(flow);
  }

  private static void require(Fields at, String key, String remedy) {
    if (!at.has(key)) {
      throw at.problem(key, "the key is missing", remedy);
    }
  }

  /** Groups whose flows are known from the start. */
  private GroupMetrics steady(Fields at) {
    for (TrafficGroup group : built.groups(at, "of")) {
      if (group.flows().isEmpty()) {
        throw at.problem(
            "of",
            "the flows of " + group.name() + " come by chance, and are not watched one by one",
            "measure completion, or the utilisation of a port");
      }
    }
    return groups(at);
  }

  private GroupMetrics groups(Fields at) {
    List<GroupSeries> series = built.groups(at, "of").stream().map(sampler::watch).toList();
    return new GroupMetrics(series);
  }

  /** Groups that send all through the window: only they have a fair share. */
  private GroupMetrics lasting(Fields at) {
    Window window = window(at);
    for (TrafficGroup group : built.groups(at, "of")) {
      if (!group.lasting() || !group.lastsThrough(window)) {
        throw at.problem(
            "of",
            group.name() + " does not send all through the window, so it has no fair share",
            "choose from and to within the group's start and stop");
      }
    }
    return groups(at);
  }

  private PortSeries port(Fields at) {
    return sampler.watch(at.text("port", ""), built.ports(at, "port"));
  }

  private static Statistic statistic(Fields at, String otherwise) {
    return Statistic.named(at.text("statistic", otherwise));
  }

  private Window window(Fields at) {
    long duration = sampler.timeline().durationNanos();
    long from = onGrid(at, "from", at.nanos("from", 0));
    long to = onGrid(at, "to", at.nanos("to", duration));
    if (to > duration) {
      throw at.problem("to", "it lies behind the end of the run", "give at most the duration");
    }
    if (from >= to) {
      throw at.problem(
          at.has("to") ? "to" : "from", "the window is empty", "give a from before its to");
    }
    return new Window(from, to);
  }

  private long onGrid(Fields at, String key, long nanos) {
    long bin = sampler.timeline().binNanos();
    if (nanos % bin != 0) {
      throw at.problem(
          key,
          "counters are not read at that time",
          "give a whole number of sampling.throughput, " + bin / 1e6 + " ms");
    }
    return nanos;
  }
}
