// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A hypervisor that runs the agent, or a place where it keeps the queues of switch ports. */
@AutoValue
public abstract class Host {
  public static Builder builder(HostId id) {
    return new AutoValue_Host.Builder()
        .stopped(false)
        .id(id)
        .missingFeatures(List.of())
        .switchPorts(List.of())
        .quarantine("")
        .residualDroppedPackets(0)
        .residualExceededBy(List.of())
        .conditions(List.of());
  }

  public abstract HostId id();

  public abstract String agentVersion();

  /** Whether its agent's session with this controller node is up. */
  public abstract boolean connected();

  /** Whether its agent announced that it is stopped, and with it the host's limits. */
  public abstract boolean stopped();

  /** The interface towards the network; empty where the agent only keeps ports' queues. */
  public abstract String uplink();

  /** bit/s; 0 without an uplink. */
  public abstract long uplinkCapacityBitsPerSecond();

  /** When this controller node last received something of it. */
  public abstract Instant lastSeen();

  public abstract int endpointCount();

  /** What its kernel lacks, each with what that costs. */
  public abstract List<String> missingFeatures();

  /** Ports of software switches whose queues its agent keeps. */
  public abstract List<PortId> switchPorts();

  /** Which limit it exceeded, so that nothing that it reports is taken in; empty: none. */
  public abstract String quarantine();

  /** Packets that exceeded the rate of its endpoints' residual traffic, since its session began. */
  public abstract long residualDroppedPackets();

  /** The interfaces of those of its endpoints that have exceeded that for a while, and still do. */
  public abstract List<String> residualExceededBy();

  /** What its agent says is wrong there and lasts, each with what helps. */
  public abstract List<String> conditions();

  /** Until when the certificate is valid that its agent showed last; empty: it showed none. */
  public abstract Optional<Instant> certificateNotAfter();

  public abstract Builder toBuilder();

  /** Builds a host. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder id(HostId id);

    public abstract Builder agentVersion(String version);

    public abstract Builder connected(boolean connected);

    public abstract Builder stopped(boolean stopped);

    public abstract Builder uplink(String interfaceName);

    public abstract Builder uplinkCapacityBitsPerSecond(long rate);

    public abstract Builder lastSeen(Instant time);

    public abstract Builder endpointCount(int count);

    public abstract Builder missingFeatures(List<String> features);

    public abstract Builder switchPorts(List<PortId> ports);

    public abstract Builder quarantine(String limit);

    public abstract Builder residualDroppedPackets(long packets);

    public abstract Builder residualExceededBy(List<String> interfaces);

    public abstract Builder conditions(List<String> conditions);

    public abstract Builder certificateNotAfter(Optional<Instant> end);

    public abstract Host build();
  }
}
