// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import org.sluice.api.deadline.FlowKey;
import org.sluice.sim.packet.Packet;

/**
 * A connection of a virtual machine of this host, and the window that it may have. The right edge
 * that the machine was told of never moves left (RFC 9293, section 3.8.6.2.1: a receiver should not
 * shrink the window), so a window comes down as data are acknowledged.
 */
final class GrantedFlow {
  /** No grant is in force. */
  static final long NONE = -1;

  /** A window stays closed no longer than this, ns: then one segment may go. */
  private static final long LONGEST_CLOSED_NANOS = 100_000_000L;

  final FlowKey key;
  private final int segmentBytes;
  private long grantBytes = NONE;
  private long closedSinceNanos;
  private long rightEdge;
  private long acknowledged;
  private long roundTripNanos;
  private long lastTimestampEcho;
  private long endSequence = Long.MAX_VALUE;
  private long offeredBytes = Long.MAX_VALUE;
  private boolean established;
  boolean isAnswered;
  boolean isTouched;

  /** For RSED. */
  final LossTeller losses = new LossTeller();

  // What a window update has to look like.
  private Packet template;

  GrantedFlow(FlowKey key, int segmentBytes) {
    this.key = key;
    this.segmentBytes = segmentBytes;
  }

  /**
   * Sets the grant.
   *
   * @param bytes or {@link #NONE}
   */
  void grant(long bytes, long nowNanos) {
    if (bytes == 0 && grantBytes != 0) {
      closedSinceNanos = nowNanos;
    }
    grantBytes = bytes;
  }

  /** Notes the end of the data: the sequence after a segment with FIN. */
  void endsAt(long sequence) {
    endSequence = sequence;
  }

  boolean isOver() {
    return acknowledged >= endSequence;
  }

  long acknowledgedBytes() {
    return acknowledged;
  }

  long roundTripNanos() {
    return roundTripNanos;
  }

  /** Takes in an acknowledgement, and lowers its window to the grant. */
  void acknowledge(Packet packet, long nowNanos) {
    established = true; // The SYN-ACK is let through, and no acknowledgement comes before it.
    acknowledged = Math.max(acknowledged, packet.acknowledgement);
    if (packet.timestampEchoNanos > lastTimestampEcho) {
      lastTimestampEcho = packet.timestampEchoNanos;
      roundTripNanos = nowNanos - packet.timestampEchoNanos;
    }
    if (packet.acknowledgement >= acknowledged) {
      offeredBytes = packet.windowBytes;
    }
    packet.windowBytes = Math.min(packet.windowBytes, allowed(packet.acknowledgement, nowNanos));
    rightEdge = Math.max(rightEdge, packet.acknowledgement + packet.windowBytes);
  }

  private long allowed(long acknowledgement, long nowNanos) {
    if (grantBytes == NONE) {
      return Long.MAX_VALUE;
    }
    long granted = grantBytes;
    if (granted == 0 && nowNanos - closedSinceNanos >= LONGEST_CLOSED_NANOS) {
      granted = segmentBytes;
    }
    return Math.max(granted, rightEdge - acknowledgement);
  }

  /** Whether the sender may send more than it knows: it needs a window update, else it sleeps. */
  boolean needsUpdate(long nowNanos) {
    return template != null && established && rightEdge < acknowledged + windowNow(nowNanos);
  }

  private long windowNow(long nowNanos) {
    return Math.min(offeredBytes, allowed(acknowledged, nowNanos));
  }

  /** When a closed window has to open a little, ns; {@link Long#MAX_VALUE} if it is not closed. */
  long opensAtNanos() {
    return grantBytes == 0 ? closedSinceNanos + LONGEST_CLOSED_NANOS : Long.MAX_VALUE;
  }

  /** Remembers what acknowledgements of this connection look like. */
  void rememberForm(Packet packet, Packet blank) {
    template = blank;
    copyForm(packet, template);
  }

  boolean hasForm() {
    return template != null;
  }

  /** Makes a packet the latest acknowledgement again, with the window of now. */
  void writeUpdate(Packet packet, long nowNanos) {
    copyForm(template, packet);
    packet.flags = Packet.ACK;
    packet.acknowledgement = acknowledged;
    packet.windowBytes = windowNow(nowNanos);
    packet.timestampEchoNanos = lastTimestampEcho;
    rightEdge = Math.max(rightEdge, acknowledged + packet.windowBytes);
  }

  /** Whether duplicate acknowledgements are due; then {@link #writeDuplicate} makes them. */
  boolean isToTellOfLoss() {
    return template != null && losses.takeDue(acknowledged, segmentBytes);
  }

  /** Makes a packet the latest acknowledgement once more: nothing but the loss is new in it. */
  void writeDuplicate(Packet packet, int number) {
    copyForm(template, packet);
    packet.flags = Packet.ACK;
    packet.acknowledgement = acknowledged;
    packet.windowBytes = rightEdge - acknowledged;
    packet.timestampEchoNanos = lastTimestampEcho;
    losses.write(packet, number, segmentBytes);
  }

  private static void copyForm(Packet from, Packet to) {
    to.source = from.source;
    to.destination = from.destination;
    to.sourcePort = from.sourcePort;
    to.destinationPort = from.destinationPort;
    to.flowHash = from.flowHash;
    to.protocol = from.protocol;
    to.receiver = from.receiver;
    to.ipBytes = from.ipBytes;
  }
}
