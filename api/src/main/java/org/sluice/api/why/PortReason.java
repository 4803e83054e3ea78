// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.sluice.api.PortStatus;

/** What a congested port does to an endpoint that sends through it. */
@AutoValue
public abstract class PortReason {

  public static Builder builder(PortStatus port) {
    return new AutoValue_PortReason.Builder()
        .port(port)
        .loadBitsPerSecond(OptionalLong.of(port.loadBitsPerSecond()))
        .users(List.of());
  }

  /** The port, a second old at most. */
  public abstract PortStatus port();

  /** What all get through, bit/s of whole frames; empty: not for the requester. */
  public abstract OptionalLong loadBitsPerSecond();

  /** Whether it is what holds the endpoint back now. */
  public abstract boolean binding();

  /** What its host lets it send there, bit/s; empty: no limit reported yet. */
  public abstract Optional<Long> limitBitsPerSecond();

  /** What of it gets through, bit/s of whole frames. */
  public abstract long deliveredBitsPerSecond();

  /** What it is due there if its demand is at least that, bit/s; empty: by no shares. */
  public abstract Optional<Long> dueBitsPerSecond();

  /**
   * What it would be due by its tenant's weight alone, without guarantee and promised deadlines,
   * bit/s; empty: by no shares.
   */
  public abstract Optional<Long> dueByWeightBitsPerSecond();

  /** What it would be due if its tenant had twice the weight, bit/s; empty: by no shares. */
  public abstract Optional<Long> dueOfTwiceTheWeightBitsPerSecond();

  /** Who else sends through it, as far as the requester may see them; most first. */
  public abstract List<PortUserStatus> users();

  /** How many more send through it; empty: not for the requester. */
  public abstract OptionalInt furtherUsers();

  /** What these get through together, bit/s of whole frames; empty: not for the requester. */
  public abstract OptionalLong furtherBitsPerSecond();

  public abstract Builder toBuilder();

  /** Builds a reason. */
  @AutoValue.Builder
  public abstract static class Builder {
    public abstract Builder port(PortStatus port);

    public abstract Builder loadBitsPerSecond(OptionalLong rate);

    public abstract Builder binding(boolean binding);

    public abstract Builder limitBitsPerSecond(Optional<Long> rate);

    public abstract Builder deliveredBitsPerSecond(long rate);

    public abstract Builder dueBitsPerSecond(Optional<Long> rate);

    public abstract Builder dueByWeightBitsPerSecond(Optional<Long> rate);

    public abstract Builder dueOfTwiceTheWeightBitsPerSecond(Optional<Long> rate);

    public abstract Builder users(List<PortUserStatus> users);

    public abstract Builder furtherUsers(OptionalInt count);

    public abstract Builder furtherBitsPerSecond(OptionalLong rate);

    public abstract PortReason build();
  }
}
