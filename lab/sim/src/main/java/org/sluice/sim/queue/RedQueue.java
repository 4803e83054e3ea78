// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.queue;

import java.util.SplittableRandom;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;

/**
 * Random early detection (Floyd and Jacobson, "Random Early Detection Gateways for Congestion
 * Avoidance", IEEE/ACM ToN 1(4), 1993), by packets. With both thresholds equal and an averaging
 * weight of 1 it is the marking step of data-center switches.
 *
 * <p>Marking and dropping are spread evenly: with n packets since the last one, the chance is p /
 * (1 - n p). While the queue was empty the average decays by the packets that could have left.
 */
public final class RedQueue extends SingleFifo {
  private final RedParameters parameters;
  private final SplittableRandom random;
  private final double packetNanos;
  private double average;
  private long sinceLast;
  private long emptySinceNanos;
  private long marked;
  private long chosen;

  /**
   * @param rateBitsPerSecond of the link: how fast the average decays when nothing waits
   */
  public RedQueue(RedParameters parameters, long rateBitsPerSecond, SplittableRandom random) {
    super(parameters.limitPackets());
    this.parameters = parameters;
    this.random = random;
    this.packetNanos = 1500 * 8 * 1e9 / rateBitsPerSecond;
  }

  @Override
  boolean admits(Packet packet, long nowNanos) {
    updateAverage(nowNanos);
    if (!isChosen()) {
      return true;
    }
    chosen++;
    return signal(packet);
  }

  private void updateAverage(long nowNanos) {
    double weight = parameters.averagingWeight();
    if (weight == 1) {
      average = packets();
      return;
    }
    if (packets() == 0) {
      average *= Math.pow(1 - weight, (nowNanos - emptySinceNanos) / packetNanos);
      emptySinceNanos = nowNanos;
    }
    average += weight * (packets() - average);
  }

  private boolean isChosen() {
    if (average < parameters.minThresholdPackets()) {
      sinceLast = 0;
      return false;
    }
    if (average >= parameters.maxThresholdPackets()) {
      sinceLast = 0;
      return true;
    }
    double span = parameters.maxThresholdPackets() - parameters.minThresholdPackets();
    double base = parameters.maxProbability() * (average - parameters.minThresholdPackets()) / span;
    double spread = base / Math.max(base, 1 - sinceLast * base);
    sinceLast++;
    if (random.nextDouble() >= spread) {
      return false;
    }
    sinceLast = 0;
    return true;
  }

  /** False: it is to be dropped. */
  private boolean signal(Packet packet) {
    if (parameters.ecn() && packet.isEct()) {
      // A packet that was marked upstream is not marked by this queue.
      if (packet.ecn != Ecn.CE) {
        marked++;
        packet.ecn = Ecn.CE;
      }
      return true;
    }
    return parameters.ecn() && parameters.nonEct() == RedParameters.NonEct.PASS;
  }

  @Override
  public Packet dequeue(long nowNanos) {
    Packet packet = super.dequeue(nowNanos);
    if (packets() == 0) {
      emptySinceNanos = nowNanos;
    }
    return packet;
  }

  @Override
  public long marked() {
    return marked;
  }

  @Override
  public long overThreshold() {
    return chosen;
  }
}
