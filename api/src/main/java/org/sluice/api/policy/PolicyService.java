// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import java.util.List;
import java.util.Optional;
import org.sluice.api.Expectation;
import org.sluice.api.SluiceException;

/** Applies policy sets, of which at most one holds, and remembers those before. */
public interface PolicyService {

  /**
   * What of a set does not fit this network: groups and hosts that are not there, cycles that are
   * shorter than counters come.
   */
  List<PolicyFinding> validate(PolicySet set);

  /**
   * What a set would do now. Nothing changes. Conditions count as having held for no cycle before
   * this one, unless the set is the one in force on this node.
   *
   * @throws SluiceException CONFLICT if it is too large for this network; UNAVAILABLE if the
   *     controller is too busy to answer
   */
  PolicyPreview dryRun(PolicySet set) throws SluiceException;

  /**
   * What the set in force came to in its latest cycle; empty if there is none, or if this node does
   * not evaluate it.
   *
   * @throws SluiceException UNAVAILABLE if the controller is too busy to answer
   */
  Optional<PolicyPreview> state() throws SluiceException;

  /** Whether this node is the one of its cluster that evaluates policies and sends hints. */
  boolean isEvaluating();

  /** Why the set in force cannot be evaluated; empty: it can, or there is none. */
  Optional<PolicyFinding> fault();

  /** The latest revision; empty before the first. */
  Optional<PolicyRevision> current();

  /**
   * Puts a set in force. Hints that it does not give end.
   *
   * @throws SluiceException CONFLICT if it is too large for this network or the store; UNAVAILABLE
   *     if it cannot be stored now
   */
  default PolicyRevision apply(PolicySet set, String author) throws SluiceException {
    return apply(set, author, Expectation.none());
  }

  /**
   * The same, in the place of the revision that is expected to be the latest.
   *
   * @throws SluiceException STALE if it is not
   */
  PolicyRevision apply(PolicySet set, String author, Expectation<PolicyRevision> expected)
      throws SluiceException;

  /**
   * Puts an earlier revision's set in force again, as a new revision; 0: no policies.
   *
   * @throws SluiceException NOT_FOUND if it is not remembered; else as for {@link #apply(PolicySet,
   *     String)}
   */
  default PolicyRevision rollBack(long revision, String author) throws SluiceException {
    return rollBack(revision, author, Expectation.none());
  }

  /**
   * The same, in the place of the revision that is expected to be the latest.
   *
   * @throws SluiceException STALE if it is not
   */
  PolicyRevision rollBack(long revision, String author, Expectation<PolicyRevision> expected)
      throws SluiceException;

  /** The latest first; old ones are forgotten. */
  List<PolicyRevision> history();

  /** Hosts that hints are for, by id, with what they were sent and report; none elsewhere. */
  List<HostHints> hosts();
}
