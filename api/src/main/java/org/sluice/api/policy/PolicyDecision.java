// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.Optional;
import org.sluice.api.PortId;

/** What a policy decides for those that it is for, and on what evidence. */
@AutoValue
public abstract class PolicyDecision {

  /** Why hints are given or not. */
  public enum Reason {
    /** Given: conditions hold, or are not reached yet. */
    HOLDS,
    /** Not given: conditions hold, but not for long enough. */
    WAITS,
    /** Not given: links carry or lose too much to begin. */
    CONDITIONS,
    /** Not given: a constraint of the set is reached. */
    CONSTRAINT,
    /** Not given: a link's counters or a path are not known. */
    UNKNOWN
  }

  public static Builder builder(String policy) {
    return new AutoValue_PolicyDecision.Builder()
        .policy(policy)
        .source("")
        .destination("")
        .fullestLink(Optional.empty());
  }

  public abstract String policy();

  /** The group that sends; empty: all hosts. */
  public abstract String source();

  /** The group that is sent to; empty: all. */
  public abstract String destination();

  /** Whether hints are given. */
  public abstract boolean isActive();

  public abstract Reason reason();

  /** For how many cycles that is so; of {@link Reason#WAITS}, for how many conditions hold. */
  public abstract int cycles();

  /** Of the fullest link, a fraction; NaN: not known. */
  public abstract double utilisation();

  /** Of the links together, a fraction; NaN: not known. */
  public abstract double dropRate();

  /** The fullest link; with {@link Reason#UNKNOWN} the first that is not known. */
  public abstract Optional<PortId> fullestLink();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder policy(String value);

    public abstract Builder source(String value);

    public abstract Builder destination(String value);

    public abstract Builder isActive(boolean value);

    public abstract Builder reason(Reason value);

    public abstract Builder cycles(int value);

    public abstract Builder utilisation(double value);

    public abstract Builder dropRate(double value);

    public abstract Builder fullestLink(Optional<PortId> value);

    public abstract PolicyDecision build();
  }
}
