// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.IpAddress;

/**
 * What becomes of a datagram: who sent it, how many it has sent, whether it is well-formed and new;
 * then its samples, and the reports of flows. Time is an argument, of a monotonic clock. For one
 * thread.
 */
final class DatagramIntake implements SampleSink {
  /** What became of a datagram. */
  enum Outcome {
    TAKEN,
    FOREIGN,
    OVER_QUOTA,
    MALFORMED,
    /** Taken, but for malformed samples. */
    TAKEN_IN_PART,
    DUPLICATE
  }

  private static final Logger log = LoggerFactory.getLogger(DatagramIntake.class);
  private static final long EXPIRY_NANOS = 100_000_000L;
  private static final long FAILURE_LOG_NANOS = 10_000_000_000L;

  private final SflowListener listener;
  private final Counters counters;
  private final DatagramDecoder decoder = new DatagramDecoder();
  private final Map<InetAddress, SflowAgent> agents = new HashMap<>();
  private final FlowTable flows;
  private final long reportNanos;
  private long reportedNanos;
  private long expiredNanos;
  private long failureLogNanos;

  // Of the datagram that is being taken in.
  private SflowAgent agent;
  private long subAgentKey;
  private long nowNanos;
  private boolean isWhole;

  DatagramIntake(SflowConfig config, SflowListener listener, Counters counters, long startNanos) {
    this.listener = listener;
    this.counters = counters;
    for (IpAddress address : config.agents()) {
      DatagramQuota quota = new DatagramQuota(config.datagramsPerSecond(), startNanos);
      agents.put(Addresses.inet(address), new SflowAgent(address, agents.size(), quota));
    }
    flows = new FlowTable(config, agents.values(), counters);
    reportNanos = config.reportMillis() * 1_000_000L;
    reportedNanos = startNanos;
    expiredNanos = startNanos;
    failureLogNanos = startNanos - FAILURE_LOG_NANOS;
  }

  /**
   * Takes a datagram.
   *
   * @param datagram from 0 to its limit
   */
  Outcome take(InetAddress sender, ByteBuffer datagram, long now) {
    counters.datagrams.increment();
    agent = agents.get(sender);
    if (agent == null) {
      counters.foreign(sender);
      return Outcome.FOREIGN;
    }
    if (!agent.quota.permits(now)) {
      counters.overQuota(agent.address);
      return Outcome.OVER_QUOTA;
    }
    if (!decoder.check(datagram)) {
      counters.malformed(decoder.fault(), agent.address);
      return Outcome.MALFORMED;
    }
    nowNanos = now;
    return isNew() ? deliver() : Outcome.DUPLICATE;
  }

  private boolean isNew() {
    subAgentKey = agent.subAgentKey(decoder.agentHigh(), decoder.agentLow(), decoder.subAgent());
    SequenceWindow.Arrival arrival =
        agent.subAgents.arrived(
            subAgentKey, decoder.sequence(), decoder.uptimeMillis(), nowNanos, counters);
    if (arrival == SequenceWindow.Arrival.RESTART) {
      agent.gaps.clear();
    }
    return arrival != SequenceWindow.Arrival.DUPLICATE;
  }

  private Outcome deliver() {
    isWhole = true;
    decoder.deliver(this);
    counters.skippedSamples.add(decoder.skippedSamples());
    if (flows.isReportDue()) {
      report(nowNanos);
    }
    return isWhole ? Outcome.TAKEN : Outcome.TAKEN_IN_PART;
  }

  @Override
  public void flowSample(FlowSample sample) {
    counters.flowSamples.increment();
    long source = SflowAgent.sourceKey(subAgentKey, sample.sourceClass, sample.sourceIndex);
    agent.gaps.arrived(source, sample.sequence, sample.drops, counters);
    if (sample.isEgress()) {
      counters.unusable(UnusableSample.EGRESS);
    } else if (sample.packet.isUsable()) {
      flows.add(sample, agent, source, nowNanos);
    } else {
      counters.unusable(sample.packet.fault());
    }
  }

  @Override
  public void counterSample(InterfaceCounters read) {
    counters.interfaceCounters.increment();
    try {
      listener.interfaceRead(read);
    } catch (RuntimeException e) {
      failed(e, nowNanos);
    }
  }

  @Override
  public void malformedSample(DatagramFault why) {
    counters.malformedSample(why, agent.address);
    isWhole = false;
  }

  /** Ends idle flows, and reports what is due; to be called after every few datagrams. */
  void turn(long now) {
    if (now - expiredNanos >= EXPIRY_NANOS) {
      expiredNanos = now;
      flows.expire(now);
    }
    if (flows.hasNews() && now - reportedNanos >= reportNanos) {
      report(now);
    }
  }

  /** When {@link #turn} has something to do next, if nothing arrives until then. */
  long nextTurnNanos() {
    long expiry = expiredNanos + EXPIRY_NANOS;
    long report = reportedNanos + reportNanos;
    return flows.hasNews() && report - expiry < 0 ? report : expiry;
  }

  private void report(long now) {
    reportedNanos = now;
    List<FlowEstimate> news = new ArrayList<>();
    flows.report(news);
    if (news.isEmpty()) {
      return;
    }
    try {
      listener.flowsSampled(news);
    } catch (RuntimeException e) {
      failed(e, now);
    }
  }

  /** A fault of ours; the collector goes on. */
  private void failed(RuntimeException fault, long now) {
    counters.listenerFailures.increment();
    if (now - failureLogNanos >= FAILURE_LOG_NANOS) {
      failureLogNanos = now;
      log.error("sFlow samples could not be processed", fault);
    }
  }
}
