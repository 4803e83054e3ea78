// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.opentcp;

import org.sluice.api.policy.TcpHint;

/** Takes hints that have changed. */
public interface HintSink {
  /** Stands for every group. */
  int EVERY = PolicyPlan.EVERY;

  /**
   * A group's hosts are to use other parameters.
   *
   * @param source the group's number
   * @param destination towards which group; {@link #EVERY}: towards all that have no hint of their
   *     own
   * @param hint {@link TcpHint#NONE}: the one before ends
   */
  void hint(int source, int destination, TcpHint hint);
}
