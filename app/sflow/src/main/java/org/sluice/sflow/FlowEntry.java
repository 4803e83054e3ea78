// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

/**
 * A flow, and the estimate of what it has sent. Several switches may sample the same packets: only
 * the samples of one data source are counted. Another takes over when that is silent for 2 s, in
 * which it has sampled 8 packets; these are counted then, as they were sent meanwhile.
 */
final class FlowEntry {
  /** A switch holds samples back for up to 1 s. */
  static final long SILENCE_NANOS = 2_000_000_000L;

  /** So that a source that samples seldom is not taken for silent. */
  static final int TAKEOVER_SAMPLES = 8;

  // The flow.
  private boolean isIpv4;
  private long sourceHigh;
  private long sourceLow;
  private long destinationHigh;
  private long destinationLow;
  private int sourcePort;
  private int destinationPort;
  private int protocol;

  // Its places in the table.
  FlowEntry nextInBucket;
  FlowEntry older;
  FlowEntry newer;
  SflowAgent agent;

  /** Whether the next report is to have it. */
  boolean isChanged;

  /** Whether a report has had it as active. */
  boolean isReported;

  /** When something of it was sampled last, anywhere. */
  long seenNanos;

  private boolean hasEnded;
  private long endedNanos;

  // The estimate.
  private long source;
  private long countedNanos;
  private long samples;
  private double bytes;
  private double variance;
  private long inputInterface;
  private long outputInterface;

  // What another source has sampled since the counted one did.
  private long otherSource;
  private long otherNanos;
  private long otherSamples;
  private double otherBytes;
  private double otherVariance;

  /** What a sample did. */
  enum Outcome {
    COUNTED,
    ELSEWHERE,
    MOVED,
    AFTER_END
  }

  /** Becomes this flow, of which nothing is known yet. */
  void begin(SampledPacket packet, long firstSource, long nowNanos) {
    isIpv4 = packet.isIpv4;
    sourceHigh = packet.sourceHigh;
    sourceLow = packet.sourceLow;
    destinationHigh = packet.destinationHigh;
    destinationLow = packet.destinationLow;
    sourcePort = packet.sourcePort;
    destinationPort = packet.destinationPort;
    protocol = packet.protocol;
    isChanged = false;
    isReported = false;
    hasEnded = false;
    source = firstSource;
    countedNanos = nowNanos;
    seenNanos = nowNanos;
    samples = 0;
    bytes = 0;
    variance = 0;
    forgetOther();
  }

  static int hash(SampledPacket packet) {
    return hash(
        packet.sourceHigh,
        packet.sourceLow,
        packet.destinationHigh,
        packet.destinationLow,
        packet.sourcePort,
        packet.destinationPort,
        packet.protocol);
  }

  int hash() {
    return hash(
        sourceHigh,
        sourceLow,
        destinationHigh,
        destinationLow,
        sourcePort,
        destinationPort,
        protocol);
  }

  private static int hash(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort,
      int protocol) {
    long hash = KeyedHash.add(KeyedHash.begin(), sourceLow);
    hash = KeyedHash.add(hash, destinationLow);
    if ((sourceHigh | destinationHigh) != 0) {
      hash = KeyedHash.add(KeyedHash.add(hash, sourceHigh), destinationHigh);
    }
    return (int)
        KeyedHash.add(hash, (long) sourcePort << 32 | (long) destinationPort << 8 | protocol);
  }

  boolean isOf(SampledPacket packet) {
    return sourceLow == packet.sourceLow
        && destinationLow == packet.destinationLow
        && sourcePort == packet.sourcePort
        && destinationPort == packet.destinationPort
        && protocol == packet.protocol
        && sourceHigh == packet.sourceHigh
        && destinationHigh == packet.destinationHigh
        && isIpv4 == packet.isIpv4;
  }

  /** Adds a sample of this flow. */
  Outcome add(FlowSample sample, long from, long nowNanos) {
    if (hasEnded && nowNanos - endedNanos < SILENCE_NANOS) {
      return Outcome.AFTER_END;
    }
    hasEnded = false;
    seenNanos = nowNanos;
    double packetBytes = sample.packet.ipBytes;
    double addedBytes = packetBytes * sample.samplingRate;
    double addedVariance = addedBytes * packetBytes * (sample.samplingRate - 1);
    Outcome outcome = Outcome.COUNTED;
    if (from != source) {
      addElsewhere(from, addedBytes, addedVariance, nowNanos);
      boolean isSilent = nowNanos - countedNanos >= SILENCE_NANOS;
      if (!isSilent || otherSource != from || otherSamples < TAKEOVER_SAMPLES) {
        return ended(sample, nowNanos, Outcome.ELSEWHERE);
      }
      source = from;
      addedBytes = otherBytes;
      addedVariance = otherVariance;
      samples += otherSamples - 1;
      outcome = Outcome.MOVED;
    }
    countedNanos = nowNanos;
    samples++;
    bytes += addedBytes;
    variance += addedVariance;
    inputInterface = sample.inputFormat == FlowSample.SINGLE_INTERFACE ? sample.input : 0;
    outputInterface = sample.outputFormat == FlowSample.SINGLE_INTERFACE ? sample.output : 0;
    forgetOther();
    return ended(sample, nowNanos, outcome);
  }

  /**
   * Whose samples beside the counted source's are kept: one source's, until that is silent, too.
   */
  private void addElsewhere(long from, double addedBytes, double addedVariance, long nowNanos) {
    if (otherSource != from) {
      if (otherSource != 0 && nowNanos - otherNanos < SILENCE_NANOS) {
        return;
      }
      forgetOther();
      otherSource = from;
    }
    otherNanos = nowNanos;
    otherSamples++;
    otherBytes += addedBytes;
    otherVariance += addedVariance;
  }

  private void forgetOther() {
    otherSource = 0;
    otherSamples = 0;
    otherBytes = 0;
    otherVariance = 0;
  }

  private Outcome ended(FlowSample sample, long nowNanos, Outcome outcome) {
    if (sample.packet.endsFlow()) {
      hasEnded = true;
      endedNanos = nowNanos;
    }
    return outcome;
  }

  /** Whether FIN or RST was sampled, and nothing later than 2 s behind it. */
  boolean hasEnded() {
    return hasEnded;
  }

  /** Whether it has sent that much, as far as that many samples show. */
  boolean isLarge(long thresholdBytes, int minSamples) {
    return samples >= minSamples && bytes >= thresholdBytes;
  }

  FlowEstimate estimate(FlowEstimate.State state) {
    return FlowEstimate.builder()
        .flow(FlowKey.of(address(true), sourcePort, address(false), destinationPort))
        .protocol(
            protocol == SampledPacket.TCP ? FlowEstimate.Protocol.TCP : FlowEstimate.Protocol.UDP)
        .sentBytes((long) bytes)
        .standardErrorBytes(Math.sqrt(variance))
        .samples(samples)
        .agent(agent.address)
        .inputInterface(inputInterface)
        .outputInterface(outputInterface)
        .state(state)
        .build();
  }

  private IpAddress address(boolean ofSource) {
    long low = ofSource ? sourceLow : destinationLow;
    return isIpv4
        ? Addresses.ipv4(low)
        : Addresses.ipv6(ofSource ? sourceHigh : destinationHigh, low);
  }
}
