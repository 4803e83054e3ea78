// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/**
 * Decides the limit of one endpoint's traffic through one congested port. Time is an argument: a
 * law keeps no clock. Rates are in bit/s of what the port charges, times in ns.
 *
 * <p>Laws exist twice, here and in Go where the agent runs them; both run the control-law vectors
 * ({@code docs/control-law-vectors.md}). All arithmetic is in double precision, in the order of the
 * Go source. A step makes no objects.
 */
public interface HostLaw {
  /** Sets the endpoint's profile; called before anything else, and on change. */
  void setBounds(Bounds bounds);

  /** Takes the latest unit share of the port. */
  void setShare(PortShare share);

  /** Takes a congestion notice; a law that does not use notices ignores it. */
  void takeNotice(long nowNanos, PortNotice notice);

  /**
   * Ends an interval.
   *
   * @return the limit to hold until the next, bit/s
   */
  long step(Interval interval);

  /** Whether it follows unit shares; else notices alone start and steer it. */
  boolean usesShares();

  /** The limit in force, bit/s, not rounded. */
  double limitBitsPerSecond();

  /** Whether it has no state worth keeping: the port need not be limited. */
  boolean isIdle(long nowNanos);
}
