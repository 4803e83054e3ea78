// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.measure;

/**
 * What an endpoint was due in a window, and what it got.
 *
 * @param endpoint its name
 * @param dueMegabits Mbit/s of IP bytes, by {@link MaxMinShares}
 * @param gotMegabits Mbit/s of IP bytes that arrived
 */
public record EndpointShare(String endpoint, double dueMegabits, double gotMegabits) {
  /** How far it is from what it is due, as a part of that; below 0 where it got less. */
  public double deviation() {
    return gotMegabits == dueMegabits ? 0 : gotMegabits / dueMegabits - 1;
  }
}
