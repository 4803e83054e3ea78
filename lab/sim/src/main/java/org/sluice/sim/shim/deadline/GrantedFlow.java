// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.deadline;

import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.FlowUpdate;
import org.sluice.sim.packet.Packet;
import org.sluice.sim.shim.law.SedWindow;

/** A connection of a virtual machine of this host, and the packets that its window needs. */
final class GrantedFlow {
  final FlowKey key;
  final SedWindow window;

  /** For RSED. */
  final FastRetransmitTrigger losses = new FastRetransmitTrigger();

  private final int segmentBytes;
  private long roundTripNanos;
  private long progressNanos;
  private long lastTimestampEcho;
  private long endSequence = Long.MAX_VALUE;
  private boolean established;
  boolean isAnswered;
  boolean isTouched;

  /** What its acknowledgements look like. */
  private Packet template;

  GrantedFlow(FlowKey key, int segmentBytes) {
    this.key = key;
    this.segmentBytes = segmentBytes;
    this.window = new SedWindow(segmentBytes);
  }

  /** Notes the end of the data: the sequence after a segment with FIN. */
  void endsAt(long sequence) {
    endSequence = sequence;
  }

  boolean isOver() {
    return window.acknowledgedBytes() >= endSequence;
  }

  long acknowledgedBytes() {
    return window.acknowledgedBytes();
  }

  /** What the controller is to know of it. */
  FlowUpdate update(FlowUpdate.State state, long nowNanos) {
    long delivered = window.acknowledgedBytes();
    return FlowUpdate.of(key, state, delivered, roundTripNanos, false)
        .acknowledgedTo(delivered & 0xFFFFFFFFL) // Sequences begin at 0 here.
        .progressedBefore(delivered > 0 ? nowNanos - progressNanos : 0);
  }

  boolean isEstablished() {
    return established;
  }

  /** An acknowledgement has come, which may have to wait. */
  void time(Packet packet, long nowNanos) {
    if (packet.timestampEchoNanos > lastTimestampEcho) {
      lastTimestampEcho = packet.timestampEchoNanos;
      roundTripNanos = nowNanos - packet.timestampEchoNanos;
    }
  }

  /** Takes in an acknowledgement, and lowers its window to the grant. */
  void acknowledge(Packet packet, long nowNanos) {
    established = true; // The SYN-ACK is let through, and no acknowledgement comes before it.
    if (packet.acknowledgement > window.acknowledgedBytes()) {
      progressNanos = nowNanos;
    }
    packet.windowBytes = window.acknowledge(packet.acknowledgement, packet.windowBytes, nowNanos);
  }

  /** Whether the sender needs a window update, without which it would stay idle. */
  boolean needsUpdate(long nowNanos) {
    return template != null && established && window.needsUpdate(nowNanos);
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
    writeAcknowledgement(packet, window.update(nowNanos));
  }

  /** Whether duplicate acknowledgements are due; then {@link #writeDuplicate} makes them. */
  boolean needsDuplicates() {
    return template != null && losses.takeDue(window.acknowledgedBytes(), segmentBytes);
  }

  /** Makes a packet the latest acknowledgement once more: nothing but the loss is new in it. */
  void writeDuplicate(Packet packet, int number) {
    writeAcknowledgement(packet, window.seenBytes());
    losses.write(packet, number, segmentBytes);
  }

  private void writeAcknowledgement(Packet packet, long windowBytes) {
    copyForm(template, packet);
    packet.flags = Packet.ACK;
    packet.acknowledgement = window.acknowledgedBytes();
    packet.windowBytes = windowBytes;
    packet.timestampEchoNanos = lastTimestampEcho;
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
