// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.BackgroundQueueSample;
import org.sluice.api.link.LevelQueueSample;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.queue.BackgroundQueueStatus;
import org.sluice.api.queue.LevelQueue;
import org.sluice.api.queue.PortQueues;
import org.sluice.core.counter.RecentRate;

/** The queues of a switch port as its agent reports them, in one session. Engine thread only. */
final class KeptQueue implements MicroQueue {
  /** What is older says nothing about the queue of now. */
  static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final int UNKNOWN_BUFFER = Integer.MAX_VALUE;

  final PortId port;

  /** The agent, by its certificate's name. */
  final HostId agent;

  /** The newest; null: none yet. */
  private PortQueueSample newest;

  private long samples;
  private long receivedNanos;
  private boolean isEvaluated = true;
  private long microSentBytes;
  private final List<RecentRate> levelRates = new ArrayList<>();
  private final List<Long> levelDrops = new ArrayList<>();
  private final Map<PortId, RecentRate> backgroundRates = new HashMap<>();

  KeptQueue(PortId port, HostId agent) {
    this.port = port;
    this.agent = agent;
  }

  /**
   * Takes in a sample.
   *
   * @return whether the port has other queues than before
   */
  boolean take(PortQueueSample sample, long received, long intervalNanos) {
    boolean isOther =
        newest == null
            || newest.levels().size() != sample.levels().size()
            || newest.bufferPackets() != sample.bufferPackets();
    isOther |= newest != null && newest.markThresholdPackets() != sample.markThresholdPackets();
    newest = sample;
    samples++;
    receivedNanos = received;
    isEvaluated = false;
    List<LevelQueueSample> levels = sample.levels();
    for (int i = 0; i < levels.size(); i++) {
      if (i == levelRates.size()) {
        levelRates.add(RecentRate.shown());
        levelDrops.add(0L);
      }
      levelRates.get(i).add(levels.get(i).sentBytes(), intervalNanos);
      levelDrops.set(i, levelDrops.get(i) + levels.get(i).droppedPackets());
    }
    microSentBytes += levels.isEmpty() ? 0 : levels.get(0).sentBytes();
    for (BackgroundQueueSample queue : sample.background()) {
      backgroundRates
          .computeIfAbsent(queue.downstream(), downstream -> RecentRate.shown())
          .add(queue.sentBytes(), intervalNanos);
    }
    if (backgroundRates.size() > sample.background().size()) {
      backgroundRates
          .keySet()
          .removeIf(
              downstream ->
                  sample.background().stream().noneMatch(q -> q.downstream().equals(downstream)));
    }
    return isOther;
  }

  /** Whether short flows have a queue of their own here. */
  boolean hasLevels() {
    return newest != null && !newest.levels().isEmpty();
  }

  /** What a queue has space for; beyond any if it is not known. */
  int bufferPackets() {
    return newest == null || newest.bufferPackets() == 0 ? UNKNOWN_BUFFER : newest.bufferPackets();
  }

  @Override
  public boolean isNew(long nowNanos) {
    return !isEvaluated && isFresh(nowNanos);
  }

  private boolean isFresh(long nowNanos) {
    return newest != null && nowNanos - receivedNanos <= FRESH_NANOS;
  }

  @Override
  public void evaluated() {
    isEvaluated = true;
  }

  /** Only with levels. */
  @Override
  public int microPackets() {
    return packets(newest.levels().get(0).backlogPackets());
  }

  @Override
  public long microSentBytes() {
    return microSentBytes;
  }

  /** What waits for a port of the next switch; 0 if nothing is known of late. */
  int backgroundPackets(PortId downstream, long nowNanos) {
    if (isFresh(nowNanos)) {
      for (BackgroundQueueSample queue : newest.background()) {
        if (queue.downstream().equals(downstream)) {
          return packets(queue.backlogPackets());
        }
      }
    }
    return 0;
  }

  private static int packets(long backlog) {
    return (int) Math.min(Integer.MAX_VALUE, backlog);
  }

  /** All that is known; nothing before the first sample. */
  void describe(PortQueues.Builder to, long nowNanos) {
    List<LevelQueue> levels = new ArrayList<>();
    for (int i = 0; i < newest.levels().size(); i++) {
      LevelQueueSample level = newest.levels().get(i);
      levels.add(
          LevelQueue.of(
              i, level.backlogPackets(), levelRates.get(i).bitsPerSecond(), levelDrops.get(i)));
    }
    List<BackgroundQueueStatus> background = new ArrayList<>();
    for (BackgroundQueueSample queue : newest.background()) {
      background.add(
          BackgroundQueueStatus.of(
              queue.downstream(),
              queue.backlogPackets(),
              backgroundRates.get(queue.downstream()).bitsPerSecond(),
              queue.capBitsPerSecond()));
    }
    to.source(PortQueues.Source.PORT_AGENT)
        .backlogPackets(newest.backlogPackets())
        .bufferPackets(newest.bufferPackets())
        .ageMillis(TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - receivedNanos)))
        .levels(levels)
        .background(background);
  }

  /** How many samples there were. */
  long samples() {
    return samples;
  }

  /** How many queues the port has: its levels, or one. */
  int queues() {
    return newest == null ? 0 : Math.max(1, newest.levels().size());
  }

  /** What each queue marks above as it is configured; 0: it does not mark, or is not known. */
  int markThresholdPackets() {
    return newest == null ? 0 : newest.markThresholdPackets();
  }

  /** What waits in a queue; 0 if nothing is known of late. */
  int waitingPackets(int queue, long nowNanos) {
    if (!isFresh(nowNanos)) {
      return 0;
    }
    return packets(
        newest.levels().isEmpty()
            ? newest.backlogPackets()
            : newest.levels().get(queue).backlogPackets());
  }

  boolean isKnown() {
    return newest != null;
  }
}
