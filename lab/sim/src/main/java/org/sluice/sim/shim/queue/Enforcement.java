// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

/** What a host does with packets that exceed a limit. */
public enum Enforcement {
  /** They wait in one of two leaves, as in the agent's HTB classes. */
  HTB,

  /**
   * They are dropped, as SDN-GCC's Algorithm 3 and HyGenICC's Algorithm 1 print it; with the
   * refilling corrected: an interval earns its tokens once.
   */
  POLICE,

  /** They wait in one queue per endpoint and port, the papers' alternative. */
  HOLD
}
