// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.time.Instant;
import java.util.Optional;

/** An entry of the history of policy sets. */
@AutoValue
public abstract class PolicyRevision {

  public static Builder builder(long number) {
    return new AutoValue_PolicyRevision.Builder()
        .number(number)
        .set(Optional.empty())
        .rolledBackTo(0);
  }

  /** From 1 on; a later one is greater. */
  public abstract long number();

  public abstract Instant time();

  /** Who applied it, as authenticated. */
  public abstract String author();

  /** The revision whose set this brought back; 0: it brought a new one. */
  public abstract long rolledBackTo();

  /** What holds from then on; empty: no policies. */
  public abstract Optional<PolicySet> set();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder number(long value);

    public abstract Builder time(Instant value);

    public abstract Builder author(String value);

    public abstract Builder rolledBackTo(long value);

    public abstract Builder set(Optional<PolicySet> value);

    public abstract PolicyRevision build();
  }
}
