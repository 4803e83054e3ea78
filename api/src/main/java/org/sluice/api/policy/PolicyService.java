// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import java.util.List;
import java.util.Optional;
import org.sluice.api.SluiceException;

/** Applies policy sets, of which at most one holds, and remembers those before. */
public interface PolicyService {

  /** What of a set does not fit this network: groups and hosts that are not there. */
  List<PolicyFinding> validate(PolicySet set);

  /**
   * What a set would do now. Nothing changes. Conditions count as having held for no cycle before
   * this one, unless the set is the one in force.
   */
  PolicyPreview dryRun(PolicySet set);

  /** What the set in force does now; empty if there is none. */
  Optional<PolicyPreview> state();

  /** What is in force; empty before the first. */
  Optional<PolicyRevision> current();

  /**
   * Puts a set in force. Hints that it does not give end.
   *
   * @throws SluiceException UNAVAILABLE if it cannot be stored now
   */
  PolicyRevision apply(PolicySet set, String author) throws SluiceException;

  /**
   * Puts an earlier revision's set in force again, as a new revision; 0: no policies.
   *
   * @throws SluiceException NOT_FOUND if it is not remembered; UNAVAILABLE as for {@link #apply}
   */
  PolicyRevision rollBack(long revision, String author) throws SluiceException;

  /** The latest first; old ones are forgotten. */
  List<PolicyRevision> history();
}
