// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import java.util.Comparator;
import java.util.List;
import org.sluice.api.IpAddress;

/**
 * Which of its equally good ports a switch takes for a destination, where all that goes to one
 * destination is to take one way. By rendezvous hashing (Thaler, Ravishankar: Using name-based
 * mappings to increase hit rates, 1998, section 3): a port that comes or goes moves only those
 * destinations that it gains or had, and every node of a cluster chooses alike.
 */
public final class NextHopHash {
  private NextHopHash() {}

  /**
   * The port for a destination.
   *
   * @param ports at least one
   */
  public static long chosen(String datapath, IpAddress destination, List<Long> ports) {
    long seed = mixed(datapath.hashCode());
    for (byte octet : destination.toBytes()) {
      seed = mixed(seed ^ octet);
    }
    long ofDestination = seed;
    return ports.stream()
        .max(Comparator.comparingLong(port -> mixed(ofDestination ^ port)))
        .orElseThrow();
  }

  /** Spreads the bits of a number over all of it (Stafford's variant 13 of MurmurHash3's end). */
  private static long mixed(long bits) {
    long z = bits + 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
