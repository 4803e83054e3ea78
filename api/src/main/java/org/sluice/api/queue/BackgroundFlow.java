// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.queue;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.api.TenantId;
import org.sluice.api.deadline.FlowKey;

/** A flow that has sent more than short flows do. */
@AutoValue
public abstract class BackgroundFlow {

  /** Who has seen what it sent. */
  public enum Source {
    /** The agent of its source. */
    AGENT,
    /** Switches, by sampled packets. */
    SFLOW
  }

  public static Builder builder(FlowKey flow) {
    return new AutoValue_BackgroundFlow.Builder().flow(flow).ports(List.of());
  }

  public abstract FlowKey flow();

  public abstract Source source();

  /** Whose it is; empty: of an address that no agent reports. */
  public abstract Optional<EndpointId> endpoint();

  public abstract Optional<TenantId> tenant();

  /** IP bytes since it began; scaled up from samples where these are the source. */
  public abstract long sentBytes();

  /** Of late, bit/s. */
  public abstract long sentBitsPerSecond();

  /** For how long it has been known, ms. */
  public abstract long ageMillis();

  /** Egress ports of switches that it passes, in order; empty: unknown. */
  public abstract List<PortId> ports();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder flow(FlowKey value);

    public abstract Builder source(Source value);

    public abstract Builder endpoint(Optional<EndpointId> value);

    public abstract Builder tenant(Optional<TenantId> value);

    public abstract Builder sentBytes(long value);

    public abstract Builder sentBitsPerSecond(long value);

    public abstract Builder ageMillis(long value);

    public abstract Builder ports(List<PortId> value);

    public abstract BackgroundFlow build();
  }
}
