// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** By hand, and against a queue that is simulated packet by packet. */
class QueueEstimateTest {
  private static final long MILLI = 1_000_000L;

  /** 10 packets in a millisecond. */
  private static final long CAPACITY = 120_000_000L;

  private static final int PACKET = 1500;

  private final QueueEstimate estimate = new QueueEstimate(CAPACITY, PACKET, 5 * MILLI);

  @Test
  void backlogIsArrivalsLessDepartures() {
    estimate.arrived(60 * PACKET);
    estimate.departed(50 * PACKET, 5 * MILLI);
    assertThat(estimate.packets()).isEqualTo(10);
    estimate.arrived(55 * PACKET);
    estimate.departed(50 * PACKET, 5 * MILLI);
    assertThat(estimate.packets()).isEqualTo(15);
    estimate.departed(20 * PACKET, 5 * MILLI);
    assertThat(estimate.packets()).as("never below 0").isZero();
    estimate.arrived(10 * PACKET);
    estimate.departed(0, 5 * MILLI);
    assertThat(estimate.packets()).as("reported late").isEqualTo(5);
  }

  @Test
  void shortFlowsAreServedFirst() {
    estimate.arrived(100 * PACKET);
    estimate.arrivedOfBackground(30 * PACKET);
    estimate.departed(50 * PACKET, 5 * MILLI);
    assertThat(estimate.packets()).isEqualTo(50);
    assertThat(estimate.microPackets()).as("70 came, 50 went").isEqualTo(20);
    assertThat(estimate.microSentBytes()).isEqualTo(50 * PACKET);
    estimate.arrived(50 * PACKET);
    estimate.arrivedOfBackground(50 * PACKET);
    estimate.departed(50 * PACKET, 5 * MILLI);
    assertThat(estimate.microPackets()).isZero();
    assertThat(estimate.microSentBytes()).isEqualTo(70 * PACKET);
    assertThat(estimate.packets()).isEqualTo(50);
  }

  /** A flow's report may come before the pair's. */
  @Test
  void backgroundFlowsAreNotCountedAsShortFlows() {
    estimate.arrivedOfBackground(100 * PACKET);
    estimate.departed(0, 5 * MILLI);
    estimate.arrived(100 * PACKET);
    estimate.departed(0, 5 * MILLI);
    assertThat(estimate.microPackets()).isZero();
    assertThat(estimate.packets()).isEqualTo(100);
  }

  /** 5 packets of every 50 are lost elsewhere; at last the port is idle for a while. */
  @Test
  void driftIsRemovedWhileThePortIsIdle() {
    for (int i = 0; i < 8; i++) {
      estimate.arrived(55 * PACKET);
      estimate.departed(50 * PACKET, 5 * MILLI);
    }
    assertThat(estimate.packets()).isEqualTo(40);
    for (int i = 0; i < 4; i++) {
      estimate.arrived(45 * PACKET);
      estimate.departed(45 * PACKET, 5 * MILLI);
    }
    assertThat(estimate.packets()).isZero();
  }

  @Test
  void backlogIsBoundedByATenthOfASecond() {
    estimate.arrived(1e9);
    estimate.departed(50 * PACKET, 5 * MILLI);
    assertThat(estimate.packets()).isEqualTo(1000);
  }

  @Test
  void errorIsOneReportAndOneReading() {
    assertThat(QueueEstimate.errorPackets(CAPACITY, PACKET, 5 * MILLI, 5 * MILLI)).isEqualTo(150);
    assertThat(QueueEstimate.errorPackets(5_000_000, PACKET, 5 * MILLI, 5 * MILLI)).isEqualTo(7);
  }

  /**
   * Eight hosts with bursts of ten packets and two with endless flows, over 20 s; each reports
   * every 5 ms at times of its own, and the port's counter is read every 5 ms. Short flows go
   * first. The estimate lags: what is under way in reports is not in it.
   */
  @Test
  void estimateIsWithinItsError() {
    long[] all = new long[2 * Trace.READINGS];
    long[] micro = new long[2 * Trace.READINGS];
    for (int seed = 0; seed < 2; seed++) {
      Trace trace = new Trace(seed);
      for (int i = 0; i < Trace.READINGS; i++) {
        trace.next();
        int at = seed * Trace.READINGS + i;
        all[at] = Math.abs(trace.estimate.packets() - trace.waiting());
        micro[at] = Math.abs(trace.estimate.microPackets() - trace.micro);
      }
      assertThat(trace.most).as("there was a queue").isGreaterThan(20);
    }
    Arrays.sort(all);
    Arrays.sort(micro);
    assertThat(Trace.BOUND).isEqualTo(15);
    assertThat(part(all, 0.5)).as("median").isLessThanOrEqualTo(3);
    assertThat(part(all, 0.99)).isLessThanOrEqualTo(Trace.BOUND);
    assertThat(part(micro, 0.99)).isLessThanOrEqualTo(Trace.BOUND);
  }

  private static long part(long[] sorted, double part) {
    return sorted[(int) (sorted.length * part)];
  }

  /** A port of 12 Mbit/s: a packet every millisecond; times in microseconds. */
  private static final class Trace {
    static final int READINGS = 4000;
    static final long CAPACITY = 12_000_000L;
    static final long BOUND = QueueEstimate.errorPackets(CAPACITY, PACKET, 5 * MILLI, 5 * MILLI);
    private static final int HOSTS = 10;
    private static final int LONG = 2;
    private static final int ROOM = 36;

    final QueueEstimate estimate = new QueueEstimate(CAPACITY, PACKET, 5 * MILLI);
    final SplittableRandom random;
    final long[] unreported = new long[HOSTS];
    final int[] phase = new int[HOSTS];
    final int[] burst = new int[HOSTS];
    private int micro;
    private int background;
    private long sent;
    private long readSent;
    private long millis;
    int most;

    Trace(long seed) {
      random = new SplittableRandom(seed);
      for (int host = 0; host < HOSTS; host++) {
        phase[host] = random.nextInt(5);
      }
    }

    int waiting() {
      return micro + background;
    }

    /** Five milliseconds, at the end of which the port is read. */
    void next() {
      for (int i = 0; i < 5; i++) {
        step();
      }
      estimate.departed((sent - readSent) * PACKET, 5 * MILLI);
      readSent = sent;
      most = Math.max(most, waiting());
    }

    private void step() {
      for (int host = 0; host < HOSTS; host++) {
        boolean isLong = host < LONG;
        int packets = isLong ? (waiting() < 20 && random.nextInt(10) < 7 ? 1 : 0) : burst(host);
        unreported[host] += packets;
        micro += isLong ? 0 : packets;
        background += isLong ? packets : 0;
        micro = Math.min(micro, ROOM);
        if (millis % 5 == phase[host]) {
          estimate.arrived(unreported[host] * PACKET);
          estimate.arrivedOfBackground(isLong ? unreported[host] * PACKET : 0);
          unreported[host] = 0;
        }
      }
      if (micro > 0) {
        micro--;
        sent++;
      } else if (background > 0) {
        background--;
        sent++;
      }
      millis++;
    }

    private int burst(int host) {
      if (burst[host] == 0 && random.nextInt(200) == 0) {
        burst[host] = 10;
      }
      int packets = Math.min(2, burst[host]);
      burst[host] -= packets;
      return packets;
    }
  }
}
