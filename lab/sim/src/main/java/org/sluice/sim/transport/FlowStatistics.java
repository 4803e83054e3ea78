// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * What a flow has counted since it was made, over all its connections. Only the flow writes; the
 * reader takes differences.
 */
public final class FlowStatistics {
  /** The value of a time that has not come. */
  public static final long NOT_YET = -1;

  long receivedPackets;
  long receivedIpBytes;
  long deliveredPayloadBytes;
  long cePackets;
  long sentPackets;
  long retransmittedPackets;
  long acknowledgementPackets;
  long timeouts;
  long fastRetransmits;
  long windowReductions;
  long startNanos = NOT_YET;
  long completionNanos = NOT_YET;
  long completions;

  private long rttSamples;
  private long rttSumNanos;
  private long rttMinNanos = Long.MAX_VALUE;
  private long rttMaxNanos;

  FlowStatistics() {}

  void roundTrip(long nanos) {
    rttSamples++;
    rttSumNanos += nanos;
    rttMinNanos = Math.min(rttMinNanos, nanos);
    rttMaxNanos = Math.max(rttMaxNanos, nanos);
  }

  /** Packets that arrived at the destination, duplicates included. */
  public long receivedPackets() {
    return receivedPackets;
  }

  /** Their bytes from the IP header upwards. */
  public long receivedIpBytes() {
    return receivedIpBytes;
  }

  /** Payload bytes given to the application, each once and in order (UDP: as they come). */
  public long deliveredPayloadBytes() {
    return deliveredPayloadBytes;
  }

  /** Packets that arrived with CE, as the destination's transport saw them. */
  public long cePackets() {
    return cePackets;
  }

  /** Packets with payload that the source has sent, retransmissions included. */
  public long sentPackets() {
    return sentPackets;
  }

  /** Packets with payload that the source has sent again. */
  public long retransmittedPackets() {
    return retransmittedPackets;
  }

  /** Pure acknowledgements that the destination has sent. */
  public long acknowledgementPackets() {
    return acknowledgementPackets;
  }

  /** How often the retransmission timer expired, of SYN too. */
  public long timeouts() {
    return timeouts;
  }

  /** How often loss recovery began without a timeout. */
  public long fastRetransmits() {
    return fastRetransmits;
  }

  /** How often the window was reduced for ECN-Echo. */
  public long windowReductions() {
    return windowReductions;
  }

  /** When the latest connection was opened, or the UDP flow began, ns; or {@link #NOT_YET}. */
  public long startNanos() {
    return startNanos;
  }

  /** When the last byte of the latest connection was delivered, ns; or {@link #NOT_YET}. */
  public long completionNanos() {
    return completionNanos;
  }

  /** How often all bytes had been delivered. */
  public long completions() {
    return completions;
  }

  /** Measured round trips. */
  public long rttSamples() {
    return rttSamples;
  }

  /** The least round trip measured, ns; {@link #NOT_YET} without a sample. */
  public long rttMinNanos() {
    return rttSamples == 0 ? NOT_YET : rttMinNanos;
  }

  /** The greatest round trip measured, ns; {@link #NOT_YET} without a sample. */
  public long rttMaxNanos() {
    return rttSamples == 0 ? NOT_YET : rttMaxNanos;
  }

  /** The mean of all round trips measured, ns; {@link #NOT_YET} without a sample. */
  public long rttMeanNanos() {
    return rttSamples == 0 ? NOT_YET : rttSumNanos / rttSamples;
  }
}
