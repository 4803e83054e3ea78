// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * What a route says about TCP.
 *
 * @param initialWindowSegments of new connections; 0: as they have it themselves
 * @param rtoMinNanos ns; 0: as connections have it themselves
 * @param congestionControl of new connections that need no other ECN for it; null: as they have it
 * @param pacingBitsPerSecond what a connection sends at most; 0: no limit
 */
public record RouteMetrics(
    int initialWindowSegments,
    long rtoMinNanos,
    CongestionControls congestionControl,
    long pacingBitsPerSecond) {
  /** It says nothing. */
  public static final RouteMetrics NONE = new RouteMetrics(0, 0, null, 0);
}
