// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.sluice.api.policy.GroupHint;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicyDecision.Reason;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.TcpHint;

/** What one evaluation of a plan has come to. Used again for the next. */
final class Evaluation {
  private static final Reason[] REASONS = Reason.values();
  private static final int NO_LINK = -1;

  private final PolicyPlan plan;
  private final int groups;

  /** By target. */
  private final byte[] reasons;

  private final double[] utilisation;
  private final double[] dropRate;
  private final int[] links;

  /** By source: policies that give hints to all that it sends, a bit each. */
  private final long[] toAll;

  /** By source and destination; empty without policies for pairs. */
  private final long[] toOne;

  Evaluation(PolicyPlan plan) {
    this.plan = plan;
    groups = plan.topology().groups().size();
    int targets = plan.targets();
    reasons = new byte[targets];
    utilisation = new double[targets];
    dropRate = new double[targets];
    links = new int[targets];
    toAll = new long[groups];
    toOne = new long[plan.hasPairs() ? groups * groups : 0];
    Arrays.fill(reasons, (byte) Reason.UNKNOWN.ordinal());
    Arrays.fill(utilisation, Double.NaN);
    Arrays.fill(dropRate, Double.NaN);
    Arrays.fill(links, NO_LINK);
  }

  void begin() {
    Arrays.fill(toAll, 0);
    Arrays.fill(toOne, 0);
  }

  void record(int target, Reason reason, LinkSummary summary) {
    reasons[target] = (byte) reason.ordinal();
    utilisation[target] = summary.utilisation();
    dropRate[target] = summary.dropRate();
    links[target] = summary.link();
  }

  /** A policy gives its hints; either group may be every one. */
  void give(int policy, int source, int destination) {
    long bit = 1L << policy;
    if (destination != PolicyPlan.EVERY) {
      toOne[source * groups + destination] |= bit;
    } else if (source != PolicyPlan.EVERY) {
      toAll[source] |= bit;
    } else {
      for (int group = 0; group < groups; group++) {
        toAll[group] |= bit;
      }
    }
  }

  /** Policies that give hints to a source about all that it sends, a bit each. */
  long policies(int source) {
    return toAll[source];
  }

  /** The same about one destination; 0 if no policy for pairs does. */
  long policies(int source, int destination) {
    long own = toOne.length == 0 ? 0 : toOne[source * groups + destination];
    return own == 0 ? 0 : own | toAll[source];
  }

  PolicyPreview preview(PolicyMemory memory) {
    List<PolicyDecision> decisions = new ArrayList<>();
    for (int policy = 0; policy < plan.policies(); policy++) {
      for (int target = plan.firstTarget(policy); target < plan.firstTarget(policy + 1); target++) {
        decisions.add(decision(policy, target, memory));
      }
    }
    return PolicyPreview.of(decisions, hints());
  }

  private PolicyDecision decision(int policy, int target, PolicyMemory memory) {
    return PolicyDecision.builder(plan.policy(policy).name())
        .source(name(plan.source(policy, target)))
        .destination(name(plan.destination(policy, target)))
        .isActive(memory.isActive(target))
        .reason(REASONS[reasons[target]])
        .cycles(memory.cycles(target))
        .utilisation(utilisation[target])
        .dropRate(dropRate[target])
        .fullestLink(
            links[target] == NO_LINK
                ? Optional.empty()
                : Optional.of(plan.topology().link(links[target])))
        .build();
  }

  private String name(int group) {
    return group == PolicyPlan.EVERY ? "" : plan.topology().groups().get(group);
  }

  private List<GroupHint> hints() {
    List<GroupHint> hints = new ArrayList<>();
    for (int source = 0; source < groups; source++) {
      add(hints, source, PolicyPlan.EVERY, plan.hint(policies(source)));
      for (int destination = 0; plan.hasPairs() && destination < groups; destination++) {
        add(hints, source, destination, plan.hint(policies(source, destination)));
      }
    }
    return hints;
  }

  private void add(List<GroupHint> hints, int source, int destination, TcpHint hint) {
    if (!hint.isEmpty()) {
      hints.add(GroupHint.of(name(source), name(destination), hint));
    }
  }
}
