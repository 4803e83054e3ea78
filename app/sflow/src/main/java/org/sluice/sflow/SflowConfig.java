// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import com.google.auto.value.AutoValue;
import java.util.Set;
import org.sluice.api.IpAddress;

/** Where datagrams are awaited, whose are accepted, and when a flow is large. */
@AutoValue
public abstract class SflowConfig {
  /** The port that is registered for sFlow. */
  public static final int DEFAULT_PORT = 6343;

  /** Addresses that may be listed. */
  public static final int MAX_AGENTS = 1024;

  /** Some 70,000 samples a second of each switch. */
  public static final int DEFAULT_DATAGRAMS_PER_SECOND = 10_000;

  public static final int DEFAULT_MAX_FLOWS = 65_536;

  /** Micro-flow's bgt_size, as elsewhere in Sluice; bytes. */
  public static final long DEFAULT_THRESHOLD_BYTES = 16_384;

  /** One sampled packet says only that a flow exists. */
  public static final int DEFAULT_MIN_SAMPLES = 2;

  public static final int DEFAULT_REPORT_MILLIS = 20;

  /** A switch holds samples back for up to 1 s. */
  public static final int DEFAULT_IDLE_MILLIS = 10_000;

  /**
   * 0.3 s of 50,000 datagrams/s of 1400 bytes: Linux counts some 2300 bytes for each, and grants
   * twice what is requested if {@code net.core.rmem_max} allows it.
   */
  public static final int DEFAULT_RECEIVE_BUFFER_BYTES = 16 << 20;

  private static final int MAX_PORT = 65_535;
  private static final int MIN_IDLE_MILLIS = 1000;
  private static final int MAX_MILLIS = 600_000;
  private static final int MAX_FLOWS = 1 << 20;
  private static final int MAX_DATAGRAMS_PER_SECOND = 1_000_000;

  /** Starts with every local address, port 6343, and nobody that is accepted. */
  public static Builder builder() {
    return new AutoValue_SflowConfig.Builder()
        .address("")
        .port(DEFAULT_PORT)
        .agents(Set.of())
        .datagramsPerSecond(DEFAULT_DATAGRAMS_PER_SECOND)
        .maxFlows(DEFAULT_MAX_FLOWS)
        .thresholdBytes(DEFAULT_THRESHOLD_BYTES)
        .minSamples(DEFAULT_MIN_SAMPLES)
        .reportMillis(DEFAULT_REPORT_MILLIS)
        .idleMillis(DEFAULT_IDLE_MILLIS)
        .receiveBufferBytes(DEFAULT_RECEIVE_BUFFER_BYTES);
  }

  /** The local address to listen on; empty: every one. */
  public abstract String address();

  /** The UDP port; 0: any that is free. */
  public abstract int port();

  /** Whose datagrams are accepted, by the address that they come from; empty: nobody's. */
  public abstract Set<IpAddress> agents();

  /** Of each agent; what exceeds it within a second is dropped. */
  public abstract int datagramsPerSecond();

  /** Flows that are followed at once, of all agents. */
  public abstract int maxFlows();

  /** A flow is reported once it is estimated to have sent this much; IP bytes. */
  public abstract long thresholdBytes();

  /** A flow is reported once this many of its packets have been sampled. */
  public abstract int minSamples();

  /** Flows are reported at most this often, ms. */
  public abstract int reportMillis();

  /** A flow has ended when nothing of it was sampled for this long, ms. */
  public abstract int idleMillis();

  /** Receive buffer requested of the kernel; it may grant less. */
  public abstract int receiveBufferBytes();

  /** Builds a configuration. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder address(String address);

    public abstract Builder port(int port);

    public abstract Builder agents(Set<IpAddress> addresses);

    public abstract Builder datagramsPerSecond(int count);

    public abstract Builder maxFlows(int count);

    public abstract Builder thresholdBytes(long bytes);

    public abstract Builder minSamples(int count);

    public abstract Builder reportMillis(int millis);

    public abstract Builder idleMillis(int millis);

    public abstract Builder receiveBufferBytes(int bytes);

    abstract Set<IpAddress> agents();

    abstract SflowConfig autoBuild();

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException if a value is out of its range; it names field, value and
     *     range
     */
    public final SflowConfig build() {
      agents(Set.copyOf(agents()));
      SflowConfig config = autoBuild();
      require("port", config.port(), 0, MAX_PORT);
      require("agents", config.agents().size(), 0, MAX_AGENTS);
      require("datagramsPerSecond", config.datagramsPerSecond(), 1, MAX_DATAGRAMS_PER_SECOND);
      require("maxFlows", config.maxFlows(), 1, MAX_FLOWS);
      require("thresholdBytes", config.thresholdBytes(), 0, Long.MAX_VALUE);
      require("minSamples", config.minSamples(), 1, Integer.MAX_VALUE);
      require("reportMillis", config.reportMillis(), 1, MAX_MILLIS);
      require("idleMillis", config.idleMillis(), MIN_IDLE_MILLIS, MAX_MILLIS);
      require("receiveBufferBytes", config.receiveBufferBytes(), 1, Integer.MAX_VALUE);
      return config;
    }

    private static void require(String field, long value, long lowest, long highest) {
      if (value < lowest || value > highest) {
        throw new IllegalArgumentException(
            field + " " + value + ": use " + lowest + " to " + highest);
      }
    }
  }
}
