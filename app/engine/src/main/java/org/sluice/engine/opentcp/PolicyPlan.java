// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.List;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Scope;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;

/**
 * A policy set on a topology: each policy's targets, numbered over all of them. A target is what a
 * policy decides about by itself: all hosts, a group, or two groups.
 */
final class PolicyPlan {
  static final int EVERY = -1;

  /** Most targets of a set: what a cycle can go through. */
  static final int MOST_TARGETS = 1 << 20;

  private final GroupTopology topology;
  private final PolicySet set;
  private final int[][] sources;
  private final int[][] destinations;
  private final int[] firstTargets;
  private final boolean hasPairs;

  /**
   * @throws IllegalArgumentException if there are more than {@link #MOST_TARGETS}
   */
  PolicyPlan(GroupTopology topology, PolicySet set) {
    this.topology = topology;
    this.set = set;
    int policies = set.policies().size();
    sources = new int[policies][];
    destinations = new int[policies][];
    firstTargets = new int[policies + 1];
    boolean pairs = false;
    for (int i = 0; i < policies; i++) {
      Policy policy = set.policies().get(i);
      sources[i] = topology.numbers(policy.sources());
      destinations[i] = topology.numbers(policy.destinations());
      long targets = firstTargets[i] + targets(i);
      if (targets > MOST_TARGETS) {
        throw new IllegalArgumentException(
            "policy "
                + policy.name()
                + " brings the set to "
                + targets
                + " targets; use larger groups, or at most "
                + MOST_TARGETS);
      }
      firstTargets[i + 1] = (int) targets;
      pairs |= policy.scope() == Scope.PAIRS;
    }
    hasPairs = pairs;
  }

  private long targets(int policy) {
    switch (policy(policy).scope()) {
      case ALL:
        return 1;
      case GROUPS:
        return sources[policy].length;
      default:
        return (long) sources[policy].length * destinations[policy].length;
    }
  }

  GroupTopology topology() {
    return topology;
  }

  PolicySet set() {
    return set;
  }

  int policies() {
    return sources.length;
  }

  Policy policy(int policy) {
    return set.policies().get(policy);
  }

  /** How many there are over all policies. */
  int targets() {
    return firstTargets[policies()];
  }

  int firstTarget(int policy) {
    return firstTargets[policy];
  }

  /** The target's sending group; {@link #EVERY} for all. */
  int source(int policy, int target) {
    switch (policy(policy).scope()) {
      case ALL:
        return EVERY;
      case GROUPS:
        return sources[policy][target - firstTargets[policy]];
      default:
        return sources[policy][(target - firstTargets[policy]) / destinations[policy].length];
    }
  }

  /** The group that the target sends to; {@link #EVERY} for all. */
  int destination(int policy, int target) {
    if (policy(policy).scope() != Scope.PAIRS) {
      return EVERY;
    }
    return destinations[policy][(target - firstTargets[policy]) % destinations[policy].length];
  }

  /** Whether some policy decides about pairs. */
  boolean hasPairs() {
    return hasPairs;
  }

  /** What policies give together; bit i stands for policy i, and the lowest goes first. */
  TcpHint hint(long policies) {
    TcpHint hint = TcpHint.NONE;
    List<Policy> all = set.policies();
    for (int i = 0; i < all.size(); i++) {
      if ((policies >>> i & 1) != 0) {
        hint = hint.orElse(all.get(i).hint());
      }
    }
    return hint;
  }
}
