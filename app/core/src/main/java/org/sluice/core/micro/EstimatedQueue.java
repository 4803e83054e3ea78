// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import java.util.concurrent.TimeUnit;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.queue.PortQueues;
import org.sluice.engine.micro.QueueEstimate;

/** A port's queue as hosts and the port's counter let suppose. Engine thread only. */
final class EstimatedQueue implements MicroQueue {
  /** How often a port is read that may have a queue: see fast counters. */
  private static final long READING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** A port that is read less often has none. */
  private static final long LONGEST_READING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** An MTU of 1500 bytes and an Ethernet header. */
  static final int FRAME_BYTES = 1514;

  final PortId port;
  final long capacityBitsPerSecond;
  final QueueEstimate estimate;
  private final long errorPackets;
  private long readNanos;
  private long intervalNanos;
  private boolean isEvaluated;

  EstimatedQueue(PortId port, long capacityBitsPerSecond, long reportNanos) {
    this.port = port;
    this.capacityBitsPerSecond = capacityBitsPerSecond;
    this.estimate = new QueueEstimate(capacityBitsPerSecond, FRAME_BYTES, reportNanos);
    this.errorPackets =
        QueueEstimate.errorPackets(capacityBitsPerSecond, FRAME_BYTES, reportNanos, READING_NANOS);
  }

  void read(PortSample sample, long receivedNanos) {
    estimate.departed(sample.txBytes(), sample.intervalNanos());
    readNanos = receivedNanos;
    intervalNanos = sample.intervalNanos();
    isEvaluated = false;
  }

  /** How far it may be off, packets. */
  long errorPackets() {
    return errorPackets;
  }

  long readNanos() {
    return readNanos;
  }

  @Override
  public boolean isNew(long nowNanos) {
    return !isEvaluated
        && intervalNanos <= LONGEST_READING_NANOS
        && nowNanos - readNanos <= KeptQueue.FRESH_NANOS;
  }

  @Override
  public void evaluated() {
    isEvaluated = true;
  }

  @Override
  public int microPackets() {
    return estimate.microPackets();
  }

  @Override
  public long microSentBytes() {
    return estimate.microSentBytes();
  }

  void describe(PortQueues.Builder to, long nowNanos) {
    to.source(PortQueues.Source.ESTIMATED)
        .backlogPackets(estimate.packets())
        .errorPackets(errorPackets)
        .bufferPackets(0)
        .ageMillis(TimeUnit.NANOSECONDS.toMillis(Math.max(0, nowNanos - readNanos)));
  }
}
