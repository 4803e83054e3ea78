// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;

/**
 * When the links in question carry and lose less than {@link #enterBelow} says, hosts get {@link
 * #hint}; when they reach {@link #leaveAt}, their own parameters again.
 */
@AutoValue
public abstract class Policy {

  /** For whom a policy decides, each by itself. */
  public enum Scope {
    /** For all hosts at once. */
    ALL,
    /** For each group of hosts, about all that it sends. */
    GROUPS,
    /** For each two groups, about what one sends to the other. */
    PAIRS
  }

  /** Whose utilisation and drops count. */
  public enum Links {
    /** Every link. */
    ALL,
    /** Those between switches. */
    FABRIC,
    /**
     * Those that the traffic in question can take: of the pairs of groups that sent in the last
     * cycle, or of all, if none did.
     */
    PATH
  }

  /** A policy for all hosts by all links, without conditions or hints yet. */
  public static Builder builder(String name) {
    return new AutoValue_Policy.Builder()
        .name(name)
        .scope(Scope.ALL)
        .sources(List.of())
        .destinations(List.of())
        .links(Links.ALL)
        .enterBelow(Limits.NONE)
        .leaveAt(Limits.NONE)
        .leastCycles(1)
        .hint(TcpHint.NONE);
  }

  public abstract String name();

  public abstract Scope scope();

  /** Names of groups that it is for; empty: every group. */
  public abstract List<String> sources();

  /** With {@link Scope#PAIRS}: groups that they send to; empty: every group. */
  public abstract List<String> destinations();

  public abstract Links links();

  public abstract Limits enterBelow();

  /** At least {@link #enterBelow}. */
  public abstract Limits leaveAt();

  /**
   * For how many cycles in a row conditions hold before hints are given, and hints are given before
   * {@link #leaveAt} ends them, at least 1. Constraints end them at once.
   */
  public abstract int leastCycles();

  public abstract TcpHint hint();

  /** Makes one; {@link PolicySet} checks it. */
  @AutoValue.Builder
  public abstract static class Builder {
    abstract Builder name(String value);

    public abstract Builder scope(Scope value);

    public abstract Builder sources(List<String> value);

    public abstract Builder destinations(List<String> value);

    public abstract Builder links(Links value);

    public abstract Builder enterBelow(Limits value);

    public abstract Builder leaveAt(Limits value);

    public abstract Builder leastCycles(int value);

    public abstract Builder hint(TcpHint value);

    abstract List<String> sources();

    abstract List<String> destinations();

    abstract Policy autoBuild();

    /** The policy. */
    public final Policy build() {
      return sources(List.copyOf(sources())).destinations(List.copyOf(destinations())).autoBuild();
    }
  }
}
