// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.core.virtual.VirtualExecution;

/**
 * A controller's execution on the simulation's events. Its loops begin in a phase of their own:
 * nothing ties control periods to the moment at which a simulation begins.
 */
final class SimulatedExecution extends VirtualExecution {
  private final SimulatedTime time;
  private final long phaseNanos;

  SimulatedExecution(SimulatedTime time, long phaseNanos) {
    super(time);
    this.time = time;
    this.phaseNanos = phaseNanos;
  }

  @Override
  public Loop loop(String name, Cycle cycle) {
    long from = time.nanoTime() + phaseNanos;
    return super.loop(name, now -> now < from ? from : cycle.run(now));
  }
}
