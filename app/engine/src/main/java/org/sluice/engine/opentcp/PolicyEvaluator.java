// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.Policy.Links;
import org.sluice.api.policy.PolicyDecision.Reason;
import org.sluice.engine.law.OpenTcpLaw;

/**
 * Policies, on the network's state, with what they remember: to hints. The same for the oracle and
 * for dry runs; nothing but memory and evaluation changes, and nothing is allocated.
 */
final class PolicyEvaluator {
  private final LinkSummary summary;
  private final TrafficMatrix matrix;
  private final int groups;

  PolicyEvaluator(GroupTopology topology, LinkReadings readings, TrafficMatrix matrix) {
    this.summary = new LinkSummary(topology, readings);
    this.matrix = matrix;
    this.groups = topology.groups().size();
  }

  void evaluate(PolicyPlan plan, PolicyMemory memory, Evaluation evaluation) {
    evaluation.begin();
    for (int policy = 0; policy < plan.policies(); policy++) {
      Links links = plan.policy(policy).links();
      if (links != Links.PATH) {
        summary.begin();
        summary.addAll(links == Links.FABRIC);
      }
      int end = plan.firstTarget(policy + 1);
      for (int target = plan.firstTarget(policy); target < end; target++) {
        int source = plan.source(policy, target);
        int destination = plan.destination(policy, target);
        if (links == Links.PATH) {
          summary.begin();
          addPaths(plan.topology(), source, destination);
        }
        decide(plan, policy, target, memory, evaluation);
        if (memory.isActive(target)) {
          evaluation.give(policy, source, destination);
        }
      }
    }
  }

  private void addPaths(GroupTopology topology, int source, int destination) {
    if (destination != PolicyPlan.EVERY) {
      summary.add(topology.path(source, destination));
      return;
    }
    int first = source == PolicyPlan.EVERY ? 0 : source;
    int last = source == PolicyPlan.EVERY ? groups - 1 : source;
    boolean sent = false;
    for (int from = first; from <= last; from++) {
      sent |= addPaths(topology, from, true);
    }
    for (int from = first; from <= last && !sent; from++) {
      addPaths(topology, from, false);
    }
  }

  private boolean addPaths(GroupTopology topology, int source, boolean onlyUsed) {
    boolean added = false;
    for (int to = 0; to < groups; to++) {
      if (!onlyUsed || matrix.bytes(source, to) > 0) {
        summary.add(topology.path(source, to));
        added = true;
      }
    }
    return added;
  }

  private void decide(
      PolicyPlan plan, int policy, int target, PolicyMemory memory, Evaluation evaluation) {
    Policy rules = plan.policy(policy);
    boolean guarded = isBelow(plan.set().constraints().guard());
    boolean enters = guarded && isBelow(rules.enterBelow());
    boolean wasActive = memory.isActive(target);
    int before = memory.cycles(target);
    int cycles = wasActive ? before : enters ? more(before) : 0;
    boolean active =
        OpenTcpLaw.next(wasActive, cycles, isBelow(rules.leaveAt()), guarded, rules.leastCycles());
    if (active) {
      memory.set(target, true, wasActive ? more(before) : 1);
    } else {
      memory.set(target, false, wasActive ? 0 : cycles);
    }
    evaluation.record(target, reason(active, enters, guarded), summary);
  }

  private Reason reason(boolean active, boolean enters, boolean guarded) {
    if (active) {
      return Reason.HOLDS;
    }
    if (enters) {
      return Reason.WAITS;
    }
    if (Double.isNaN(summary.utilisation())) {
      return Reason.UNKNOWN;
    }
    if (Double.isNaN(summary.dropRate())) {
      return Reason.UNKNOWN;
    }
    return guarded ? Reason.CONDITIONS : Reason.CONSTRAINT;
  }

  private boolean isBelow(Limits limits) {
    return OpenTcpLaw.isBelow(
        summary.utilisation(), summary.dropRate(), limits.utilisation(), limits.dropRate());
  }

  private static int more(int cycles) {
    return cycles == Integer.MAX_VALUE ? cycles : cycles + 1;
  }
}
