// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.sluice.api.EndpointId;
import org.sluice.api.JournalEntry;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Clock;

/**
 * Writes into the journal where policies begin or end to give hints, on what evidence. Of each
 * cycle a few entries, and how many more there were. Engine thread only.
 */
final class PolicyJournal {
  /** Most entries about single decisions of a cycle. */
  static final int MOST_ENTRIES = 10;

  private static final String LAW = "opentcp";
  private static final double PERCENT = 100;

  private final NodeJournal journal;
  private final Clock clock;

  /** Of the latest cycle, in their order; empty: all gave none. */
  private List<PolicyDecision> before = List.of();

  PolicyJournal(NodeJournal journal, Clock clock) {
    this.journal = journal;
    this.clock = clock;
  }

  /** Policies or groups are others: none has given hints yet. */
  void begin() {
    before = List.of();
  }

  /**
   * A cycle has changed hints.
   *
   * @param decisions of all policies and targets, in an order that never changes
   * @param hosts how many hosts have hints now
   */
  void decided(List<PolicyDecision> decisions, int hosts) {
    List<PolicyDecision> changed = new ArrayList<>();
    for (int i = 0; i < decisions.size(); i++) {
      boolean wasActive = i < before.size() && before.get(i).isActive();
      if (decisions.get(i).isActive() != wasActive) {
        changed.add(decisions.get(i));
      }
    }
    before = decisions;
    changed.stream().limit(MOST_ENTRIES).forEach(decision -> write(decision, hosts));
    if (changed.size() > MOST_ENTRIES) {
      append(
          Optional.empty(),
          "Of " + (changed.size() - MOST_ENTRIES) + " more groups or pairs hints begin or end",
          hosts(hosts));
    }
  }

  /** Something that is about no single policy. */
  void note(String decision, String evidence) {
    append(Optional.empty(), decision, evidence);
  }

  private void write(PolicyDecision decision, int hosts) {
    append(
        Optional.of(decision),
        String.format(
            "Policy %s %s hints%s%s",
            decision.policy(),
            decision.isActive() ? "gives" : "ends its",
            decision.source().isEmpty() ? " for all hosts" : " for hosts of " + decision.source(),
            decision.destination().isEmpty() ? "" : " towards those of " + decision.destination()),
        evidence(decision) + "; " + hosts(hosts));
  }

  private static String hosts(int hosts) {
    return hosts + (hosts == 1 ? " host has hints now" : " hosts have hints now");
  }

  static String evidence(PolicyDecision decision) {
    String link = decision.fullestLink().map(port -> " of " + port).orElse("");
    if (decision.reason() == PolicyDecision.Reason.UNKNOWN) {
      return "load and drops of links are unknown" + (link.isEmpty() ? "" : ", the first" + link);
    }
    return String.format(
        "utilisation %s%s, drops %s of all links in question; %s",
        percent(decision.utilisation(), "%.1f %%"),
        link,
        percent(decision.dropRate(), "%.4f %%"),
        reason(decision));
  }

  private static String percent(double fraction, String format) {
    return Double.isNaN(fraction)
        ? "unknown"
        : String.format(Locale.ROOT, format, PERCENT * fraction);
  }

  private static String reason(PolicyDecision decision) {
    switch (decision.reason()) {
      case HOLDS:
        return "below the policy's limits";
      case WAITS:
        return "below its limits, for " + decision.cycles() + " cycles only";
      case CONDITIONS:
        return "not below the policy's limits";
      case CONSTRAINT:
        return "a constraint of the set is reached";
      default:
        throw new IllegalStateException(decision.reason().name());
    }
  }

  private void append(Optional<PolicyDecision> about, String decision, String evidence) {
    journal
        .journal()
        .append(
            clock.instant(),
            JournalEntry.Kind.POLICY,
            LAW,
            about.flatMap(PolicyDecision::fullestLink),
            Optional.<EndpointId>empty(),
            decision,
            evidence);
  }
}
