// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.law;

/** Arithmetic of the laws. */
public final class Numbers {
  private Numbers() {}

  /** A value, no lower than low and no higher than high; high wins where they cross. */
  public static double clamp(double value, double low, double high) {
    return Math.min(Math.max(value, low), high);
  }
}
