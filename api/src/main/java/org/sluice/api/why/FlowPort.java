// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

import com.google.auto.value.AutoValue;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.sluice.api.PortId;

/** A place on the path of a flow with a deadline, and what is promised there before it. */
@AutoValue
public abstract class FlowPort {

  /** What bounds the flow there. */
  public enum Kind {
    /** A switch's port. */
    PORT,
    /** The NIC of its source's host. */
    NIC,
    /** The ceiling of its source's tenant. */
    CEILING;

    /** As REST names it. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static Builder builder(Kind kind) {
    return new AutoValue_FlowPort.Builder().kind(kind);
  }

  public abstract Kind kind();

  /** The port; empty for others. */
  public abstract Optional<PortId> port();

  /** What its controller calls it. */
  public abstract Optional<String> portName();

  /** What it carries, bit/s of whole frames. */
  public abstract long capacityBitsPerSecond();

  /**
   * What of that can be promised to deadlines, bit/s of whole frames; empty: not for the requester.
   */
  public abstract OptionalLong promisableBitsPerSecond();

  /**
   * How many promised flows there are to be through before it: due earlier, or equally early;
   * empty: not for the requester.
   */
  public abstract OptionalInt flowsBefore();

  /** What these have left to send, bytes of payload; empty: not for the requester. */
  public abstract OptionalLong bytesBefore();

  /**
   * T_win, what the windows of all flows through it add up to while they are divided there, bytes;
   * empty: it is not congested, another node divides them, or it is not for the requester.
   */
  public abstract OptionalLong totalWindowBytes();

  public abstract Builder toBuilder();

  /** Builds one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder kind(Kind kind);

    public abstract Builder port(Optional<PortId> port);

    public abstract Builder portName(Optional<String> name);

    public abstract Builder capacityBitsPerSecond(long rate);

    public abstract Builder promisableBitsPerSecond(OptionalLong rate);

    public abstract Builder flowsBefore(OptionalInt count);

    public abstract Builder bytesBefore(OptionalLong bytes);

    public abstract Builder totalWindowBytes(OptionalLong bytes);

    public abstract FlowPort build();
  }
}
