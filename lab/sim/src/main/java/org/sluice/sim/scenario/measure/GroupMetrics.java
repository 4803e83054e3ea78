// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.FlowStatistics;
import org.sluice.sim.transport.TcpFlow;

/** Numbers made of the flows of some groups. */
public final class GroupMetrics {
  private final List<GroupSeries> groups;
  private final Timeline timeline;

  /**
   * @param groups at least one
   */
  public GroupMetrics(List<GroupSeries> groups) {
    this.groups = List.copyOf(groups);
    this.timeline = groups.get(0).timeline();
  }

  /** IP bytes that arrived per flow, Mbit/s. */
  public Metric throughput(Window window, Statistic statistic) {
    return () -> statistic.of(throughputs(from(window), to(window)));
  }

  /**
   * The least payload that was delivered of any flow in any interval of the window, Mbit/s: whether
   * one starved for a while.
   */
  public Metric least(Window window, long intervalNanos) {
    Statistic min = Statistic.named("min");
    int interval = timeline.reading(intervalNanos);
    return () -> {
      double least = Double.POSITIVE_INFINITY;
      for (int at = from(window); at + interval <= to(window); at++) {
        int begin = at;
        double[] rates = each((group, i) -> group.payloadMegabits(i, begin, begin + interval));
        least = Math.min(least, min.of(rates));
      }
      return least;
    };
  }

  /** Payload that was delivered per flow, Mbit/s. */
  public Metric goodput(Window window, Statistic statistic) {
    return () ->
        statistic.of(each((group, i) -> group.payloadMegabits(i, from(window), to(window))));
  }

  /** Throughput per flow over its fair share of a port. */
  public Metric share(Window window, Statistic statistic, FairShares shares, PortSeries port) {
    return () -> statistic.of(ratios(window, from(window), to(window), shares, port));
  }

  /** What is missing of the fair share, as a part of it. */
  public Metric loss(Window window, Statistic statistic, FairShares shares, PortSeries port) {
    Metric share = share(window, statistic, shares, port);
    return () -> 1 - share.value();
  }

  /** The largest distance of a flow's throughput from its fair share, as a part of that. */
  public Metric deviation(Window window, FairShares shares, PortSeries port) {
    return () ->
        Arrays.stream(ratios(window, from(window), to(window), shares, port))
            .map(ratio -> Math.abs(ratio - 1))
            .max()
            .orElse(Double.NaN);
  }

  /**
   * The largest distance of an endpoint's throughput from what it is due ({@link MaxMinShares}), as
   * a part of that.
   *
   * @param intermittent groups that send on and off: they demand what they got, since how much they
   *     sent in the window is by chance
   */
  public Metric unfairness(Window window, MaxMinShares shares, List<GroupSeries> intermittent) {
    return () -> {
      Map<Endpoint, Double> due = due(window, shares, intermittent);
      return unfairness(due, from(window), to(window));
    };
  }

  /**
   * Milliseconds from the beginning of the window from which on no endpoint's mean over any span is
   * far from what it is due in the window; NaN if it is at the end.
   *
   * @param within how far, as a part of what it is due
   * @param intermittent as for {@link #unfairness}
   */
  public Metric fairFrom(
      Window window,
      double within,
      long spanNanos,
      MaxMinShares shares,
      List<GroupSeries> intermittent) {
    int span = timeline.reading(spanNanos);
    return () -> {
      Map<Endpoint, Double> due = due(window, shares, intermittent);
      int fair = to(window) - span + 1;
      while (fair > from(window) && unfairness(due, fair - 1, fair - 1 + span) <= within) {
        fair--;
      }
      return fair + span > to(window)
          ? Double.NaN
          : (fair - from(window)) * (timeline.binNanos() / 1e6);
    };
  }

  private Map<Endpoint, Double> due(
      Window window, MaxMinShares shares, List<GroupSeries> intermittent) {
    Map<Flow, Double> wanted = new HashMap<>();
    for (GroupSeries group : intermittent) {
      for (int i = 0; i < group.flows(); i++) {
        wanted.put(group.group().flows().get(i), group.megabits(i, from(window), to(window)));
      }
    }
    return shares.megabits(window, wanted);
  }

  private double unfairness(Map<Endpoint, Double> due, int from, int to) {
    Map<Endpoint, Double> got = new LinkedHashMap<>();
    for (GroupSeries group : groups) {
      for (int i = 0; i < group.flows(); i++) {
        got.merge(group.group().flows().get(i).source(), group.megabits(i, from, to), Double::sum);
      }
    }
    return got.entrySet().stream()
        .mapToDouble(each -> Math.abs(each.getValue() / due.get(each.getKey()) - 1))
        .max()
        .orElse(Double.NaN);
  }

  /**
   * Milliseconds from the beginning of the window until, over a span of time, the mean of all flows
   * lies near the mean of their fair shares for the first time; NaN if never.
   *
   * @param within how near, as a part of the share
   */
  public Metric settling(
      Window window, double within, long spanNanos, FairShares shares, PortSeries port) {
    Statistic mean = Statistic.named("mean");
    int span = timeline.reading(spanNanos);
    return () -> {
      for (int at = from(window); at + span <= to(window); at++) {
        double ratio = mean.of(ratios(window, at, at + span, shares, port));
        if (Math.abs(ratio - 1) <= within) {
          return (at - from(window)) * (timeline.binNanos() / 1e6);
        }
      }
      return Double.NaN;
    };
  }

  /** Jain's index of the flows' throughputs: 1 when all are equal. */
  public Metric jain(Window window) {
    return () -> {
      double[] rates = throughputs(from(window), to(window));
      double sum = Arrays.stream(rates).sum();
      double squares = Arrays.stream(rates).map(rate -> rate * rate).sum();
      return squares == 0 ? Double.NaN : sum * sum / (rates.length * squares);
    };
  }

  /** How long transfers of some sizes took, ms: at least so many bytes, and below so many. */
  public Metric completion(Statistic statistic, long atLeastBytes, long belowBytes) {
    return () ->
        statistic.of(
            groups.stream()
                .flatMapToDouble(
                    group ->
                        Arrays.stream(group.group().completions().millis(atLeastBytes, belowBytes)))
                .toArray());
  }

  /** What {@link #completion} would be in an ideal schedule. */
  public Metric idealCompletion(
      Statistic statistic, long latencyNanos, long atLeastBytes, long belowBytes) {
    return () ->
        statistic.of(
            groups.stream()
                .map(group -> group.group().completions())
                .flatMapToDouble(
                    all -> Arrays.stream(all.idealMillis(latencyNanos, atLeastBytes, belowBytes)))
                .toArray());
  }

  /** The flows' mean round trips as their sources measured them, over the whole run, ms. */
  public Metric roundTrip(Statistic statistic) {
    return () ->
        statistic.of(
            groups.stream()
                .flatMap(group -> group.group().flows().stream())
                .map(Flow::statistics)
                .filter(each -> each.rttSamples() > 0)
                .mapToDouble(each -> each.rttMeanNanos() / 1e6)
                .toArray());
  }

  /** Transfers that were finished. */
  public Metric completed() {
    return () -> groups.stream().mapToDouble(group -> group.group().completions().count()).sum();
  }

  /** The sum of a counter of all flows at the end. */
  public Metric counter(ToLongFunction<FlowStatistics> counter) {
    return () -> {
      long sum = 0;
      for (GroupSeries group : groups) {
        for (Flow flow : group.group().flows()) {
          sum += counter.applyAsLong(flow.statistics());
        }
      }
      return sum;
    };
  }

  /** The part of all packets with payload that were sent again: loss, as senders see it. */
  public Metric resent() {
    Metric again = counter(FlowStatistics::retransmittedPackets);
    Metric all = counter(FlowStatistics::sentPackets);
    return () -> all.value() == 0 ? 0 : again.value() / all.value();
  }

  /** The part of the flows with a deadline whose bytes had not all arrived by then. */
  public Metric missed() {
    return () ->
        part(
            flow -> ((TcpFlow) flow).deadlineNanos() != TcpFlow.NO_DEADLINE,
            flow -> isLate((TcpFlow) flow));
  }

  /** The part of the flows with a deadline whose bytes had all arrived by then. */
  public Metric met() {
    Metric missed = missed();
    return () -> 1 - missed.value();
  }

  /** How many of the flows that are counted, such as promised ones, missed their deadline. */
  public Metric missedOf(Predicate<TcpFlow> counted) {
    return count(flow -> counted.test(flow) && isLate(flow));
  }

  /** How many of the flows with a deadline are not counted. */
  public Metric refusedOf(Predicate<TcpFlow> counted) {
    return count(flow -> flow.deadlineNanos() != TcpFlow.NO_DEADLINE && !counted.test(flow));
  }

  /** How many missed their deadline, if all that have one are counted; else 0. */
  public Metric missedIfAll(Predicate<TcpFlow> counted) {
    Metric refused = refusedOf(counted);
    Metric missed = missedOf(counted);
    return () -> refused.value() == 0 ? missed.value() : 0;
  }

  private Metric count(Predicate<TcpFlow> which) {
    return () ->
        groups.stream()
            .flatMap(group -> group.group().flows().stream())
            .filter(flow -> which.test((TcpFlow) flow))
            .count();
  }

  private static boolean isLate(TcpFlow flow) {
    long completed = flow.statistics().completionNanos();
    return completed == FlowStatistics.NOT_YET || completed > flow.deadlineNanos();
  }

  /** The part of the flows whose retransmission timer has expired at least once. */
  public Metric timedOut() {
    return () -> part(flow -> true, flow -> flow.statistics().timeouts() > 0);
  }

  /** All payload over the time from the first flow's start to the last one's end, Mbit/s. */
  public Metric drain() {
    return () -> {
      long first = Long.MAX_VALUE;
      long last = 0;
      double bits = 0;
      for (GroupSeries group : groups) {
        for (Flow flow : group.group().flows()) {
          FlowStatistics statistics = flow.statistics();
          if (statistics.completionNanos() == FlowStatistics.NOT_YET) {
            return Double.NaN;
          }
          first = Math.min(first, statistics.startNanos());
          last = Math.max(last, statistics.completionNanos());
          bits += statistics.deliveredPayloadBytes() * 8.0;
        }
      }
      return bits * 1e3 / (last - first);
    };
  }

  private double part(Predicate<Flow> of, Predicate<Flow> which) {
    int all = 0;
    int such = 0;
    for (GroupSeries group : groups) {
      for (Flow flow : group.group().flows()) {
        all += of.test(flow) ? 1 : 0;
        such += of.test(flow) && which.test(flow) ? 1 : 0;
      }
    }
    return all == 0 ? Double.NaN : (double) such / all;
  }

  private double[] throughputs(int from, int to) {
    return each((group, i) -> group.megabits(i, from, to));
  }

  private double[] ratios(Window window, int from, int to, FairShares shares, PortSeries port) {
    double capacity = port.capacityBitsPerSecond();
    return each(
        (group, i) ->
            group.megabits(i, from, to)
                / shares.megabits(group.group().flows().get(i), window, capacity));
  }

  private double[] each(PerFlow number) {
    List<Double> numbers = new ArrayList<>();
    for (GroupSeries group : groups) {
      for (int i = 0; i < group.group().flows().size(); i++) {
        numbers.add(number.of(group, i));
      }
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private int from(Window window) {
    return timeline.reading(window.fromNanos());
  }

  private int to(Window window) {
    return timeline.reading(window.toNanos());
  }

  private interface PerFlow {
    double of(GroupSeries group, int flow);
  }
}
