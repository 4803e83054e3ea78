// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import com.google.auto.value.AutoValue;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.sluice.api.IpAddress;

/**
 * What became of datagrams and samples since the start. Of all {@link #datagrams}, those that are
 * not foreign, over quota, malformed or duplicate were taken in.
 */
@AutoValue
public abstract class SflowCounts {
  static Builder builder() {
    return new AutoValue_SflowCounts.Builder();
  }

  /** Received from the kernel. */
  public abstract long datagrams();

  /** From addresses that are not listed: dropped unread. */
  public abstract long foreign();

  /** Who sent the last of these; whoever reaches the port can have any address here. */
  public abstract Optional<IpAddress> lastForeign();

  /** Beyond what an agent may send in a second: dropped unread. */
  public abstract long overQuota();

  /** Whose the last of these was. */
  public abstract Optional<IpAddress> lastOverQuota();

  /** Dropped whole, because of their headers, by reason. */
  public abstract Map<DatagramFault, Long> malformed();

  /**
   * Samples that were skipped, and what followed the last one of a datagram, by reason; the other
   * samples of these datagrams were taken in.
   */
  public abstract Map<DatagramFault, Long> malformedSamples();

  /** Whose the last of all these was. */
  public abstract Optional<IpAddress> lastMalformed();

  /** Received a second time: dropped. */
  public abstract long duplicates();

  /**
   * Missing by their sequence numbers, and not come late: lost, dropped by the kernel, over quota
   * or malformed.
   */
  public abstract long lostDatagrams();

  /** Sequences of datagrams that began anew: a switch restarted, or was configured anew. */
  public abstract long restarts();

  /** Flow samples in what was taken in. */
  public abstract long flowSamples();

  /** Those that add to no flow, by reason. */
  public abstract Map<UnusableSample, Long> unusable();

  /** Of flows whose samples another switch or port counts. */
  public abstract long elsewhereCounted();

  /** Of flows that had ended within the last 2 s. */
  public abstract long afterEnd();

  /** Missing by the sequence numbers of their sources: lost, malformed, or never sent. */
  public abstract long lostSamples();

  /** Packets that switches were to sample and had no space for. */
  public abstract long droppedByAgents();

  /** Generic interface counters that were read. */
  public abstract long interfaceCounters();

  /** Samples of unknown formats. */
  public abstract long skippedSamples();

  /** Flows that are followed now. */
  public abstract long flows();

  /** Flows that made space for others. */
  public abstract long evictedFlows();

  /** Flows whose samples of another switch or port are counted from then on. */
  public abstract long movedFlows();

  /** Failures of the listener. */
  public abstract long listenerFailures();

  /** Dropped by the kernel because the receive buffer was full; empty where Linux does not say. */
  public abstract OptionalLong kernelDropped();

  /** What the kernel has granted. */
  public abstract int receiveBufferBytes();

  /** Sum of {@link #malformed}. */
  public final long allMalformed() {
    return sum(malformed());
  }

  /** Sum of {@link #malformedSamples}. */
  public final long allMalformedSamples() {
    return sum(malformedSamples());
  }

  private static long sum(Map<DatagramFault, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Makes one. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder datagrams(long value);

    abstract Builder foreign(long value);

    abstract Builder lastForeign(Optional<IpAddress> value);

    abstract Builder overQuota(long value);

    abstract Builder lastOverQuota(Optional<IpAddress> value);

    abstract Builder malformed(Map<DatagramFault, Long> value);

    abstract Builder malformedSamples(Map<DatagramFault, Long> value);

    abstract Builder lastMalformed(Optional<IpAddress> value);

    abstract Builder duplicates(long value);

    abstract Builder lostDatagrams(long value);

    abstract Builder restarts(long value);

    abstract Builder flowSamples(long value);

    abstract Builder unusable(Map<UnusableSample, Long> value);

    abstract Builder elsewhereCounted(long value);

    abstract Builder afterEnd(long value);

    abstract Builder lostSamples(long value);

    abstract Builder droppedByAgents(long value);

    abstract Builder interfaceCounters(long value);

    abstract Builder skippedSamples(long value);

    abstract Builder flows(long value);

    abstract Builder evictedFlows(long value);

    abstract Builder movedFlows(long value);

    abstract Builder listenerFailures(long value);

    abstract Builder kernelDropped(OptionalLong value);

    abstract Builder receiveBufferBytes(int value);

    abstract SflowCounts build();
  }
}
