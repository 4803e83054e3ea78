// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

/** What the engine's thread has to do about deadlines. */
public interface DeadlineDuty {

  /** The engine's thread is about to run; the other calls come from it. */
  void begin(EngineSide side);

  /** Whether a step should not wait for the next control period. From any thread. */
  boolean isUrgent();

  /** Takes in what has come, decides, and tells hosts. At least once in every control period. */
  void step(long nowNanos);

  /** The engine's thread has ended. */
  void end();
}
