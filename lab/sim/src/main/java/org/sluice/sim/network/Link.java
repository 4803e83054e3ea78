// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

/**
 * Both directions of a link between nodes a and b.
 *
 * @param atA the egress port at a
 * @param atB the egress port at b
 */
public record Link(Port atA, Port atB) {
  /** Takes both directions down, or up again. Routes follow when they are computed anew. */
  public void setUp(boolean up) {
    atA.setUp(up);
    atB.setUp(up);
  }

  /** Gives both directions another capacity, bit/s, above 0. */
  public void setRateBitsPerSecond(long value) {
    atA.setRateBitsPerSecond(value);
    atB.setRateBitsPerSecond(value);
  }
}
