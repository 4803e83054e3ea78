// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * All flows in the order in which they are served: those with a promised deadline, those with one
 * that was not promised, each the earliest first, and those without.
 */
public interface FlowsByPriority {
  int size();

  /** The first place of one without a deadline; all behind it have none either. */
  int firstWithoutDeadline();

  /** By priority, from 0. */
  SedFlow get(int priority);

  /** {@link #get} for those who go through all flows from one end to the other. */
  SedFlow walk(int priority);
}
