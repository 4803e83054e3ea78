// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyFinding;
import org.sluice.api.policy.PolicyPreview;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;

/**
 * OpenTCP's oracle on one topology. Whoever drives it reads counters into {@link #readings}, adds
 * what hosts report to {@link #matrix}, and calls {@link #cycle} every T of the set in force.
 * Decisions go to a {@link HintSink}, on change. One thread; a steady cycle allocates nothing.
 *
 * <p>A topology that has changed gets a new oracle: {@link #withdraw} the old one's hints first.
 */
public final class Oracle {
  private final GroupTopology topology;
  private final LinkReadings readings;
  private final TrafficMatrix matrix;
  private final PolicyEvaluator evaluator;
  private final HintUpdates sent;
  private PolicyPlan plan;
  private PolicyMemory memory;
  private Evaluation evaluation;

  /** Without policies yet. */
  public Oracle(GroupTopology topology, HintSink sink) {
    this.topology = topology;
    readings = new LinkReadings(topology);
    matrix = new TrafficMatrix(topology);
    evaluator = new PolicyEvaluator(topology, readings, matrix);
    sent = new HintUpdates(topology, sink);
  }

  /** What a set requires of this topology that is missing, or too much. */
  public List<PolicyFinding> validate(PolicySet set) {
    List<PolicyFinding> findings = new ArrayList<>();
    for (int i = 0; i < set.policies().size(); i++) {
      Policy policy = set.policies().get(i);
      unknown(findings, "policies[" + i + "].from", policy.sources());
      unknown(findings, "policies[" + i + "].to", policy.destinations());
    }
    excess(set).ifPresent(findings::add);
    return findings;
  }

  /** Why a set is too large for this topology; empty: it is not. */
  public Optional<PolicyFinding> excess(PolicySet set) {
    try {
      new PolicyPlan(topology, set);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(
          PolicyFinding.of(
              "policies", set.name(), e.getMessage(), "Use larger groups, or fewer policies"));
    }
  }

  private void unknown(List<PolicyFinding> findings, String field, List<String> names) {
    for (String name : topology.unknown(names)) {
      findings.add(
          PolicyFinding.of(
              field,
              name,
              "There is no such group here",
              "Use the name of a group that has hosts"));
    }
  }

  /**
   * Puts a set in force. What it says takes effect with the next cycle, as does the end of what
   * sets before it said.
   *
   * @throws IllegalArgumentException if it is too large for the topology
   */
  public void apply(PolicySet set) {
    plan = new PolicyPlan(topology, set);
    memory = new PolicyMemory(plan.targets());
    evaluation = new Evaluation(plan);
    sent.changePlan();
  }

  /** No policies any more: all hosts use their own parameters again. */
  public void withdraw() {
    plan = null;
    sent.withdraw();
  }

  /** Where counters go. */
  public LinkReadings readings() {
    return readings;
  }

  /** Where hosts' reports go; its periods are the caller's. */
  public TrafficMatrix matrix() {
    return matrix;
  }

  /** A cycle is over: evaluates the policies and sends what has changed. */
  public void cycle() {
    readings.endCycle();
    if (plan != null) {
      evaluator.evaluate(plan, memory, evaluation);
      sent.update(plan, evaluation);
    }
  }

  /**
   * What a set would do if it were evaluated now, on what the latest cycle has left. Nothing
   * changes. The set in force keeps its memory; another begins without.
   *
   * @throws IllegalArgumentException if it is too large for the topology
   */
  public PolicyPreview dryRun(PolicySet set) {
    PolicyPlan tried = new PolicyPlan(topology, set);
    boolean isInForce = plan != null && plan.set().equals(set);
    PolicyMemory copy = isInForce ? memory.copy() : new PolicyMemory(tried.targets());
    Evaluation result = new Evaluation(tried);
    evaluator.evaluate(tried, copy, result);
    return result.preview(copy);
  }

  /** What the set in force came to in the latest cycle; nothing without one. */
  public PolicyPreview state() {
    return plan == null ? PolicyPreview.of(List.of(), List.of()) : evaluation.preview(memory);
  }

  /** What a group's hosts are hinted now about all that they send. */
  public TcpHint hint(int group) {
    return sent.hint(group);
  }

  /** What the set in force decides about: hosts, groups and pairs; 0 without one. */
  public int targets() {
    return plan == null ? 0 : plan.targets();
  }

  /** Hints that went to the sink. */
  public long changes() {
    return sent.changes();
  }
}
