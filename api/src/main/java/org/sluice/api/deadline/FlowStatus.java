// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import org.sluice.api.TenantId;

/** A registration and what has become of it. */
@AutoValue
public abstract class FlowStatus {

  public static Builder builder() {
    return new AutoValue_FlowStatus.Builder().promiseLost(false);
  }

  public abstract Builder toBuilder();

  public abstract long id();

  /** As registered: a port of 0 stands for any. */
  public abstract FlowKey flow();

  /** The tenant of the source when it was registered. */
  public abstract TenantId tenant();

  public abstract long sizeBytes();

  /** Declared bytes that have not arrived yet, as far as this node knows. */
  public abstract long remainingBytes();

  /** When the last byte has to be there, by the clock of the node that admitted it. */
  public abstract Instant deadline();

  /** The time until then, ns; below 0 if it has passed. */
  public abstract long dueInNanos();

  /**
   * False: it was registered by force although the deadline could not be met, or the promise was
   * lost.
   */
  public abstract boolean promised();

  /** It was promised, and then its way, or what that carries, became another. */
  public abstract boolean promiseLost();

  public abstract FlowState state();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder id(long value);

    public abstract Builder flow(FlowKey value);

    public abstract Builder tenant(TenantId value);

    public abstract Builder sizeBytes(long value);

    public abstract Builder remainingBytes(long value);

    public abstract Builder deadline(Instant value);

    public abstract Builder dueInNanos(long value);

    public abstract Builder promised(boolean value);

    public abstract Builder promiseLost(boolean value);

    public abstract Builder state(FlowState value);

    public abstract FlowStatus build();
  }
}
