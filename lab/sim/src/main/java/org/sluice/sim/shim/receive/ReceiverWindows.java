// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.receive;

import java.util.HashMap;
import java.util.Map;
import org.sluice.sim.packet.Ecn;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.packet.Protocol;

/**
 * Keeps many senders from overflowing the port before one receiver: its host lowers the windows
 * that the endpoint offers to connections that begin, or go on after a pause, so that all of these
 * together hold the bandwidth-delay product and K, their first windows included. No controller has
 * a part in it.
 *
 * <p>A connection that has sent for a while is the law's to limit: windows that divide a port by
 * connections would take shares from tenants with few. So is what comes by more of them than the
 * port has room for a segment of each.
 */
public final class ReceiverWindows {
  /** Of IP and TCP, without options. */
  private static final int HEADER_BYTES = 40;

  /** What a connection begins with (RFC 6928). */
  private static final int FIRST_SEGMENTS = 10;

  /** Who has sent so many without a pause has begun. */
  private static final int BEGUN_SEGMENTS = 255;

  /** A connection's first segments are acknowledged at once. */
  private static final int QUICK_SEGMENTS = 16;

  /** Of a window of one a receiver delays the acknowledgement by 40 ms. */
  private static final int LEAST_SEGMENTS = 2;

  /** Where K has so many segments for each connection, there are few. */
  private static final int FEW_SEGMENTS = 5;

  /** Connections are counted, and what arrives is, in epochs of 2^22 ns. */
  private static final int EPOCH_SHIFT = 22;

  /** So long is a pause, 0.27 s: after less a sender goes on with the window that it had. */
  private static final int PAUSE_EPOCHS = 64;

  /** Beyond it windows are left alone. */
  private static final long LONGEST_ROUND_TRIP_NANOS = 20_000_000L;

  private static final int MOST_GAIN = 16;

  // K, as ports mark that nobody has configured:
  private static final long THRESHOLD_NANOS = 2_000_000L;
  private static final long LEAST_THRESHOLD_PACKETS = 4;
  private static final long MOST_THRESHOLD_PACKETS = 20;

  private final double bytesPerNano;
  private final long segmentBytes;
  private final long thresholdBytes;
  private final Map<Key, ReceivingFlow> flows = new HashMap<>();
  private boolean isSuspended;
  private long arrivedBytes;

  // In this epoch, and before it:
  private long epoch;
  private long epochArrivedBytes;
  private int count;
  private int countBefore;

  /** By how much windows exceed what the link needs, since it is not full all the same. */
  private int gain = 1;

  /** What has come, or was allowed to, beyond what the NIC carries in the time. */
  private double backlogBytes;

  /** Of it, first windows of which nothing has come yet. */
  private long promisedBytes;

  private long drainedNanos;
  private long drainedArrivedBytes;

  /** Without queues; 0: not known. */
  private long usualRoundTripNanos;

  private record Key(int local, int remote, int localPort, int remotePort) {}

  /**
   * @param bitsPerSecond the NIC's
   */
  public ReceiverWindows(long bitsPerSecond, int mtuBytes) {
    bytesPerNano = bitsPerSecond / 8e9;
    segmentBytes = (long) mtuBytes - HEADER_BYTES;
    long served = (long) (bytesPerNano * THRESHOLD_NANOS) / mtuBytes;
    thresholdBytes =
        segmentBytes * Math.max(LEAST_THRESHOLD_PACKETS, Math.min(MOST_THRESHOLD_PACKETS, served));
  }

  /** While controllers grant windows there are no others. */
  public void setSuspended(boolean value) {
    isSuspended = value;
  }

  // ---------------------------------------------------------------- what comes

  /** A packet has come for the endpoint. */
  public void arrives(Packet packet, long nowNanos) {
    turn(nowNanos);
    arrivedBytes += packet.ipBytes;
    if (packet.protocol != Protocol.TCP) {
      return;
    }
    boolean begins = (packet.flags & (Packet.SYN | Packet.ACK)) == Packet.SYN;
    Key key = new Key(packet.destination, packet.source, packet.destinationPort, packet.sourcePort);
    ReceivingFlow flow =
        begins ? flows.computeIfAbsent(key, k -> new ReceivingFlow()) : flows.get(key);
    if (flow == null) {
      return;
    }
    boolean isMarked = packet.ecn == Ecn.CE;
    if (isMarked) {
      flow.markedEpoch = epoch;
      drain(nowNanos);
      backlogBytes = Math.max(backlogBytes, thresholdBytes); // So much stands somewhere.
    }
    if (flow.answeredNanos > 0) {
      flow.roundTripNanos = roundTrip(nowNanos - flow.answeredNanos, isMarked);
      flow.answeredNanos = 0;
    }
    if (begins) {
      count(flow);
    } else if (packet.payloadBytes > 0) {
      takeData(flow, packet.payloadBytes);
    }
    if ((packet.flags & (Packet.FIN | Packet.RST)) != 0) {
      flow.endsAt = packet.sequence + packet.payloadBytes;
      uncount(flow);
    }
  }

  private void takeData(ReceivingFlow flow, int bytes) {
    if (flow.segments > QUICK_SEGMENTS && flow.countedEpoch < epoch - PAUSE_EPOCHS) {
      flow.segments = QUICK_SEGMENTS;
    }
    flow.segments = Math.min(BEGUN_SEGMENTS, flow.segments + 1);
    if (bytes >= segmentBytes / 2) {
      count(flow);
    }
  }

  /** One that ends with a mark has queues in it: then the usual one is taken. */
  private long roundTrip(long measured, boolean isMarked) {
    if (isMarked && usualRoundTripNanos > 0) {
      return Math.min(measured, usualRoundTripNanos);
    }
    boolean isLess = usualRoundTripNanos == 0 || measured < usualRoundTripNanos;
    usualRoundTripNanos +=
        isLess ? measured - usualRoundTripNanos : (measured - usualRoundTripNanos) / 16;
    return measured;
  }

  private void turn(long nowNanos) {
    long now = nowNanos >> EPOCH_SHIFT;
    if (now == epoch) {
      return;
    }
    boolean lasts = now == epoch + 1 && countBefore > 0 && count > 0;
    boolean isFull = arrivedBytes - epochArrivedBytes >= bytesPerNano * (1L << EPOCH_SHIFT) * 3 / 4;
    if (!lasts) {
      gain = 1;
    } else {
      gain = isFull ? Math.max(1, gain / 2) : Math.min(MOST_GAIN, gain * 2);
    }
    countBefore = now == epoch + 1 ? count : 0;
    count = 0;
    epochArrivedBytes = arrivedBytes;
    epoch = now;
  }

  private void count(ReceivingFlow flow) {
    if (flow.countedEpoch != epoch) {
      flow.countedEpoch = epoch;
      count += flow.segments < BEGUN_SEGMENTS ? 1 : 0;
    }
  }

  private void uncount(ReceivingFlow flow) {
    if (flow.segments == BEGUN_SEGMENTS) {
      return;
    }
    if (flow.countedEpoch == epoch) {
      count = Math.max(0, count - 1);
    } else if (flow.countedEpoch == epoch - 1) {
      countBefore = Math.max(0, countBefore - 1);
    }
    flow.countedEpoch = ReceivingFlow.NEVER;
  }

  // ---------------------------------------------------------------- what is offered

  /** A packet leaves the endpoint: its window may be lowered. */
  public void leaves(Packet packet, long nowNanos) {
    if (packet.protocol != Protocol.TCP || (packet.flags & Packet.ACK) == 0) {
      return;
    }
    Key key = new Key(packet.source, packet.destination, packet.sourcePort, packet.destinationPort);
    ReceivingFlow flow = flows.get(key);
    if (flow == null) {
      return;
    }
    turn(nowNanos);
    if ((packet.flags & Packet.SYN) != 0) {
      flow.answeredNanos = flow.isAnswered ? 0 : nowNanos;
      flow.isAnswered = true;
    }
    long held = Math.max(0, flow.edge - packet.acknowledgement);
    long allowed = isSuspended ? Long.MAX_VALUE : allowedBytes(flow, nowNanos);
    packet.windowBytes = Math.min(packet.windowBytes, Math.max(allowed, held));
    flow.edge = Math.max(flow.edge, packet.acknowledgement + packet.windowBytes);
    flow.isOffered = true;
    if (packet.acknowledgement >= flow.endsAt) {
      flows.remove(key);
    }
  }

  private long allowedBytes(ReceivingFlow flow, long nowNanos) {
    if (flow.segments == 0) {
      return flow.isOffered ? 0 : firstWindow(nowNanos);
    }
    if (flow.segments == BEGUN_SEGMENTS
        || flow.roundTripNanos == 0
        || flow.roundTripNanos > LONGEST_ROUND_TRIP_NANOS) {
      return Long.MAX_VALUE;
    }
    long n = Math.max(1, Math.max(count, countBefore));
    int gained = flow.markedEpoch >= epoch - 1 ? 1 : gain;
    long together = gained * (long) (bytesPerNano * flow.roundTripNanos + thresholdBytes);
    if (together >= n * FIRST_SEGMENTS * segmentBytes
        && thresholdBytes >= n * FEW_SEGMENTS * segmentBytes) {
      // What it could have by now in slow start: no more will be out there if others begin.
      return (FIRST_SEGMENTS + flow.segments) * segmentBytes;
    }
    long least = flow.segments < QUICK_SEGMENTS ? 1 : LEAST_SEGMENTS;
    return Math.max(least * segmentBytes, together / n);
  }

  /** What may come of connections that begin sums to K, and to what the NIC carries in the time. */
  private long firstWindow(long nowNanos) {
    drain(nowNanos);
    long window = Math.min(FIRST_SEGMENTS * segmentBytes, thresholdBytes - (long) backlogBytes);
    window = Math.max(segmentBytes, window);
    backlogBytes += window;
    promisedBytes += window;
    return window;
  }

  private void drain(long nowNanos) {
    long arrived = arrivedBytes - drainedArrivedBytes;
    long promised = Math.min(promisedBytes, arrived);
    double carried = bytesPerNano * (nowNanos - drainedNanos);
    backlogBytes = Math.max(0, backlogBytes + arrived - promised - carried);
    promisedBytes = backlogBytes == 0 ? 0 : promisedBytes - promised;
    drainedArrivedBytes = arrivedBytes;
    drainedNanos = nowNanos;
  }
}
