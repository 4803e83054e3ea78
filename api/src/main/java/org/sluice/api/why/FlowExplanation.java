// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.why;

import com.google.auto.value.AutoValue;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.sluice.api.JournalEntry;
import org.sluice.api.deadline.FlowStatus;

/** How a flow with a deadline fares, and why. */
@AutoValue
public abstract class FlowExplanation {

  /** How it fares. */
  public enum Cause {
    /** Promised, and what is left can be through in time. */
    ON_COURSE,
    /** Promised, and by what this node knows it will be late. */
    LATE,
    /** Registered by force: it comes after all that is promised. */
    NOT_PROMISED,
    /** Promised once; then its path, or what that carries, became another. */
    PROMISE_LOST,
    /** Its path is not known now, or it waits in the store for that. */
    PATH_UNKNOWN,
    /** It has ended; see its state. */
    ENDED;

    /** As operators read it: {@code on-course}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  public static Builder builder(FlowStatus flow) {
    return new AutoValue_FlowExplanation.Builder()
        .flow(flow)
        .neededBitsPerSecond(0)
        .windowBytes(OptionalLong.empty())
        .earliestNanos(OptionalLong.empty())
        .ports(List.of())
        .summary("")
        .lines(List.of())
        .journal(List.of());
  }

  public abstract FlowStatus flow();

  public abstract Cause cause();

  /** With what rate it would be through just in time, bit/s of whole frames; 0 once it is over. */
  public abstract long neededBitsPerSecond();

  /** The window that its source has now, bytes; empty: none, or it has not begun. */
  public abstract OptionalLong windowBytes();

  /**
   * Where its deadline is not kept, the earliest that could be promised, ns from now; empty: it is,
   * or none could.
   */
  public abstract OptionalLong earliestNanos();

  /** The places on its path, from its source on. */
  public abstract List<FlowPort> ports();

  /** In one sentence. */
  public abstract String summary();

  /** What is promised before it on its path, and what would change it; a sentence or two each. */
  public abstract List<String> lines();

  /** What was decided about it, newest first, as far as the requester may see it. */
  public abstract List<JournalEntry> journal();

  public abstract Builder toBuilder();

  /** Builds an explanation. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder flow(FlowStatus flow);

    public abstract Builder cause(Cause cause);

    public abstract Builder neededBitsPerSecond(long rate);

    public abstract Builder windowBytes(OptionalLong bytes);

    public abstract Builder earliestNanos(OptionalLong nanos);

    public abstract Builder ports(List<FlowPort> ports);

    public abstract Builder summary(String sentence);

    public abstract Builder lines(List<String> lines);

    public abstract Builder journal(List<JournalEntry> entries);

    public abstract FlowExplanation build();
  }
}
