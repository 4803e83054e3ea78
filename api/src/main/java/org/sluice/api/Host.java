// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.List;

/** A hypervisor that runs the agent. */
@AutoValue
public abstract class Host {

  public static Builder builder(HostId id) {
    return new AutoValue_Host.Builder().id(id).missingFeatures(List.of());
  }

  public abstract HostId id();

  public abstract String agentVersion();

  /** Whether its agent's session with this controller node is up. */
  public abstract boolean connected();

  public abstract String uplink();

  public abstract long uplinkCapacityBitsPerSecond();

  /** When this controller node last heard of it. */
  public abstract Instant lastSeen();

  public abstract int endpointCount();

  /** What its kernel lacks, each with what that costs. */
  public abstract List<String> missingFeatures();

  public abstract Builder toBuilder();

  /** Builds a host. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder id(HostId id);

    public abstract Builder agentVersion(String version);

    public abstract Builder connected(boolean connected);

    public abstract Builder uplink(String interfaceName);

    public abstract Builder uplinkCapacityBitsPerSecond(long rate);

    public abstract Builder lastSeen(Instant time);

    public abstract Builder endpointCount(int count);

    public abstract Builder missingFeatures(List<String> features);

    public abstract Host build();
  }
}
