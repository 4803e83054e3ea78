// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

/** How a registration came to its end. */
public enum FlowOutcome {
  /** All of its bytes had arrived in time. */
  MET,
  /** The deadline passed before. */
  MISSED,
  /** The deadline passed, and nothing had ever been sent. */
  NEVER_SENT,
  /** The connection ended before all declared bytes had arrived, and before the deadline. */
  CLOSED_EARLY,
  /** It was taken back. */
  REMOVED
}
