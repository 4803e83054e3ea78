// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

/** A time of a run over which is measured, ns from its start. */
public record Window(long fromNanos, long toNanos) {
  public double seconds() {
    return (toNanos - fromNanos) / 1e9;
  }
}
