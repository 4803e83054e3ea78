// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import java.util.Arrays;
import org.sluice.api.policy.TcpHint;

/** What hosts have been sent: only changes go out. */
final class HintUpdates {
  private final int groups;
  private final HintSink sink;
  private final TcpHint[] toAll;
  private final long[] toAllPolicies;

  /** By source and destination; made when the first policy decides about pairs. */
  private TcpHint[] toOne = {};

  private long[] toOnePolicies = {};

  /** Whether bits mean other policies than when hints were sent. */
  private boolean isNewPlan = true;

  private long changes;

  HintUpdates(GroupTopology topology, HintSink sink) {
    this.groups = topology.groups().size();
    this.sink = sink;
    toAll = new TcpHint[groups];
    toAllPolicies = new long[groups];
    Arrays.fill(toAll, TcpHint.NONE);
  }

  /** Policies are others from here on. */
  void changePlan() {
    isNewPlan = true;
  }

  void update(PolicyPlan plan, Evaluation evaluation) {
    if (plan.hasPairs() && toOne.length == 0) {
      toOne = new TcpHint[groups * groups];
      toOnePolicies = new long[groups * groups];
      Arrays.fill(toOne, TcpHint.NONE);
    }
    for (int source = 0; source < groups; source++) {
      long policies = evaluation.policies(source);
      if (isNewPlan || policies != toAllPolicies[source]) {
        toAllPolicies[source] = policies;
        send(toAll, source, source, PolicyPlan.EVERY, plan.hint(policies));
      }
      for (int destination = 0; toOne.length > 0 && destination < groups; destination++) {
        int pair = source * groups + destination;
        long ofPair = evaluation.policies(source, destination);
        if (isNewPlan || ofPair != toOnePolicies[pair]) {
          toOnePolicies[pair] = ofPair;
          send(toOne, pair, source, destination, plan.hint(ofPair));
        }
      }
    }
    isNewPlan = false;
  }

  /** All hosts use their own parameters again. */
  void withdraw() {
    for (int source = 0; source < groups; source++) {
      send(toAll, source, source, PolicyPlan.EVERY, TcpHint.NONE);
      for (int destination = 0; toOne.length > 0 && destination < groups; destination++) {
        send(toOne, source * groups + destination, source, destination, TcpHint.NONE);
      }
    }
    isNewPlan = true;
  }

  private void send(TcpHint[] sent, int at, int source, int destination, TcpHint hint) {
    if (!sent[at].equals(hint)) {
      sent[at] = hint;
      changes++;
      sink.hint(source, destination, hint);
    }
  }

  /** A group's hint for all that it sends. */
  TcpHint hint(int source) {
    return toAll[source];
  }

  /** Hints that went to the sink. */
  long changes() {
    return changes;
  }
}
