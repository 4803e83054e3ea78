// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.HostId;

/** The hints that a host was sent, and what it has reported about them. */
@AutoValue
public abstract class HostHints {

  /** What is known of the latest hints. */
  public enum State {
    /** They were sent; the report may still come. */
    SENT,
    /** All are in force. */
    IN_FORCE,
    /** The host cannot bring some or all of them into force, and reports why. */
    REFUSED,
    /** The host reports nothing about them, or its agent says that it takes no hints. */
    UNANSWERED
  }

  public static Builder builder(HostId host) {
    return new AutoValue_HostHints.Builder()
        .host(host)
        .hints(List.of())
        .leftOutGroups(0)
        .applied(List.of())
        .refused(List.of());
  }

  public abstract HostId host();

  /** The group that it is in. */
  public abstract String group();

  /** The number of the set of hints that it was sent last. */
  public abstract long revision();

  /** Those of that set, in their order; empty: its own parameters hold. */
  public abstract List<PrefixHint> hints();

  /** Groups hints towards which were left out, for there are too many prefixes. */
  public abstract int leftOutGroups();

  public abstract State state();

  /** What it made of {@link #hints}, in their order; empty while it has not reported. */
  public abstract List<AppliedHint> applied();

  /** What is in force nowhere, and why. */
  public abstract List<String> refused();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder host(HostId value);

    public abstract Builder group(String value);

    public abstract Builder revision(long value);

    public abstract Builder hints(List<PrefixHint> value);

    public abstract Builder leftOutGroups(int value);

    public abstract Builder state(State value);

    public abstract Builder applied(List<AppliedHint> value);

    public abstract Builder refused(List<String> value);

    public abstract HostHints build();
  }
}
