// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The flows of which packets were sampled. When it is full, a new flow replaces the longest unseen
 * one of the agent that has most, so that each agent comes to an equal part of the table if it
 * wants so much. Nothing is allocated for a sample of a known flow.
 */
final class FlowTable {
  /** Who has most is looked up once in so many evictions, and may be wrong by as many flows. */
  private static final int SEARCH_PERIOD = 64;

  private final long thresholdBytes;
  private final int minSamples;
  private final long idleNanos;
  private final int maxFlows;
  private final Collection<SflowAgent> agents;
  private final Counters counters;
  private final FlowEntry[] buckets;

  /** Entries of flows that are gone, by {@link FlowEntry#nextInBucket}. */
  private FlowEntry free;

  private final List<FlowEntry> changed = new ArrayList<>();

  /** Of flows that are gone. */
  private final List<FlowEstimate> gone = new ArrayList<>();

  private int size;
  private long evictions;

  /** Null before the first eviction. */
  private SflowAgent most;

  /**
   * A table.
   *
   * @param agents all of them
   */
  FlowTable(SflowConfig config, Collection<SflowAgent> agents, Counters counters) {
    thresholdBytes = config.thresholdBytes();
    minSamples = config.minSamples();
    idleNanos = config.idleMillis() * 1_000_000L;
    maxFlows = config.maxFlows();
    this.agents = agents;
    this.counters = counters;
    buckets = new FlowEntry[Integer.highestOneBit(maxFlows) * 2];
  }

  /**
   * Adds a sample.
   *
   * @param sample with a usable packet, not of an egress
   * @param source stands for the data source
   */
  void add(FlowSample sample, SflowAgent agent, long source, long nowNanos) {
    FlowEntry flow = findOrBegin(sample.packet, agent, source, nowNanos);
    switch (flow.add(sample, source, nowNanos)) {
      case AFTER_END:
        counters.afterEnd.increment();
        return;
      case ELSEWHERE:
        counters.elsewhereCounted.increment();
        moveTo(flow.agent, flow);
        break;
      case MOVED:
        counters.movedFlows.increment();
        moveTo(agent, flow);
        noteChange(flow);
        break;
      case COUNTED:
        moveTo(agent, flow);
        noteChange(flow);
        break;
    }
    if (flow.hasEnded()) {
      noteChange(flow);
    }
  }

  private FlowEntry findOrBegin(
      SampledPacket packet, SflowAgent agent, long source, long nowNanos) {
    int hash = FlowEntry.hash(packet);
    for (FlowEntry each = buckets[bucket(hash)]; each != null; each = each.nextInBucket) {
      if (each.isOf(packet)) {
        return each;
      }
    }
    FlowEntry flow = unused(agent);
    flow.begin(packet, source, nowNanos);
    flow.nextInBucket = buckets[bucket(hash)];
    buckets[bucket(hash)] = flow;
    agent.append(flow);
    size++;
    counters.flows.increment();
    return flow;
  }

  private int bucket(int hash) {
    return hash & buckets.length - 1;
  }

  private FlowEntry unused(SflowAgent agent) {
    if (size == maxFlows) {
      counters.evictedFlows.increment();
      remove(victim(agent), FlowEstimate.State.EVICTED);
    }
    if (free == null) {
      return new FlowEntry();
    }
    FlowEntry entry = free;
    free = entry.nextInBucket;
    return entry;
  }

  private FlowEntry victim(SflowAgent agent) {
    most = most == null ? agent : most;
    if (evictions++ % SEARCH_PERIOD == 0) {
      for (SflowAgent each : agents) {
        most = each.flows() > most.flows() ? each : most;
      }
    }
    most = agent.flows() > most.flows() ? agent : most;
    return most.oldest();
  }

  /** To the newest end of an agent's flows. */
  private static void moveTo(SflowAgent agent, FlowEntry flow) {
    flow.agent.remove(flow);
    agent.append(flow);
  }

  private void noteChange(FlowEntry flow) {
    if (!flow.isChanged && (flow.isReported || flow.isLarge(thresholdBytes, minSamples))) {
      flow.isChanged = true;
      changed.add(flow);
    }
  }

  /** Whether there is something to report. */
  boolean hasNews() {
    return !changed.isEmpty() || !gone.isEmpty();
  }

  /** Whether the next report would be longer than the table. */
  boolean isReportDue() {
    return changed.size() + gone.size() >= maxFlows;
  }

  /** Ends flows that are idle. */
  void expire(long nowNanos) {
    for (SflowAgent agent : agents) {
      FlowEntry oldest = agent.oldest();
      while (oldest != null && nowNanos - oldest.seenNanos >= idleNanos) {
        remove(oldest, FlowEstimate.State.IDLE);
        oldest = agent.oldest();
      }
    }
  }

  /** Adds what has changed since the last call: first what is gone. */
  void report(List<FlowEstimate> into) {
    into.addAll(gone);
    gone.clear();
    for (FlowEntry flow : changed) {
      // One that was replaced meanwhile is another flow now, which is there in its own right.
      if (flow.isChanged) {
        flow.isChanged = false;
        report(flow, into);
      }
    }
    changed.clear();
  }

  private static void report(FlowEntry flow, List<FlowEstimate> into) {
    into.add(
        flow.estimate(flow.hasEnded() ? FlowEstimate.State.FINISHED : FlowEstimate.State.ACTIVE));
    flow.isReported = !flow.hasEnded();
  }

  private void remove(FlowEntry flow, FlowEstimate.State why) {
    if (flow.isReported || flow.isChanged) {
      gone.add(flow.estimate(flow.hasEnded() ? FlowEstimate.State.FINISHED : why));
    }
    flow.isChanged = false;
    flow.agent.remove(flow);
    int bucket = bucket(flow.hash());
    if (buckets[bucket] == flow) {
      buckets[bucket] = flow.nextInBucket;
    } else {
      FlowEntry before = buckets[bucket];
      while (before.nextInBucket != flow) {
        before = before.nextInBucket;
      }
      before.nextInBucket = flow.nextInBucket;
    }
    flow.nextInBucket = free;
    free = flow;
    size--;
    counters.flows.decrement();
  }
}
