// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;
import org.sluice.api.SluiceException;

/**
 * Policies that hold together. Where several give hints to the same hosts, the earlier one's hold,
 * and the later one's what those leave open.
 */
@AutoValue
public abstract class PolicySet {
  /** Most policies of a set. */
  public static final int MOST_POLICIES = 64;

  /** Most groups of a set. */
  public static final int MOST_GROUPS = 1024;

  /** T of a set that says nothing, ns: a minute. */
  public static final long CYCLE_NANOS = 60_000_000_000L;

  /** Least T, ns: a second. */
  public static final long LEAST_CYCLE_NANOS = 1_000_000_000L;

  /** Greatest T, ns: an hour. */
  public static final long MOST_CYCLE_NANOS = 3_600_000_000_000L;

  /** An empty set with the default cycle and constraints. */
  public static Builder builder(String name) {
    return new AutoValue_PolicySet.Builder()
        .name(name)
        .cycleNanos(CYCLE_NANOS)
        .constraints(PolicyConstraints.DEFAULTS)
        .groups(List.of())
        .policies(List.of());
  }

  public abstract String name();

  /** T: how often data are collected and policies evaluated, ns. */
  public abstract long cycleNanos();

  public abstract PolicyConstraints constraints();

  /** Empty: the hosts at an edge switch are a group, called as that switch. */
  public abstract List<HostGroup> groups();

  public abstract List<Policy> policies();

  /** Makes one. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder name(String value);

    public abstract Builder cycleNanos(long value);

    public abstract Builder constraints(PolicyConstraints value);

    public abstract Builder groups(List<HostGroup> value);

    public abstract Builder policies(List<Policy> value);

    abstract List<HostGroup> groups();

    abstract List<Policy> policies();

    abstract PolicySet autoBuild();

    /**
     * The set.
     *
     * @throws SluiceException INVALID, naming field, value and remedy, if anything is out of range,
     *     contradicts itself or breaks the set's own constraints
     */
    public final PolicySet build() throws SluiceException {
      PolicySet set = groups(List.copyOf(groups())).policies(List.copyOf(policies())).autoBuild();
      PolicySetCheck.check(set);
      return set;
    }
  }
}
