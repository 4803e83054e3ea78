// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import java.util.Arrays;

/** To whom an endpoint sends, and behind which of its controlled ports each destination lies. */
final class Destinations {
  private static final long NEVER = Long.MIN_VALUE;

  // By endpoint number:
  private byte[] ports = new byte[16];

  /** Those of {@link #ports} that a receiver's shim has relayed, not the controller published. */
  private byte[] relayed = new byte[16];

  private long[] sentAt = filled(16);

  /** 1 more than the port that governed it at the last selection; 0: none. */
  private byte[] governor = new byte[16];

  /** Those behind a port or with recent traffic. */
  private int[] listed = new int[16];

  private int count;
  private final int[] active = new int[EndpointControl.MAX_PORTS];

  /** By port: bit i, that all that are sent to behind it are behind port i, too. */
  private final int[] common = new int[EndpointControl.MAX_PORTS];

  /** Bit i: behind port i. */
  int portsOf(int destination) {
    return destination < ports.length ? ports[destination] & 0xff : 0;
  }

  /** Bit i: behind port i, as published by the controller. */
  int publishedPortsOf(int destination) {
    return destination < ports.length ? ports[destination] & ~relayed[destination] & 0xff : 0;
  }

  /** Makes these the full set behind a port. */
  void replace(int port, int[] behind) {
    removeAll(port);
    for (int destination : behind) {
      list(destination);
      ports[destination] |= (byte) (1 << port);
    }
  }

  /** Puts one more behind a port, as relayed by its own shim. */
  void addRelayed(int port, int destination) {
    list(destination);
    int bit = 1 << port;
    if ((ports[destination] & bit) == 0) {
      ports[destination] |= (byte) bit;
      relayed[destination] |= (byte) bit;
    }
  }

  /** Leaves these behind the ports that the controller has published, and no others. */
  void removeRelayed(int[] of) {
    for (int destination : of) {
      ports[destination] &= (byte) ~relayed[destination];
      relayed[destination] = 0;
    }
  }

  /** Whether any is behind a port. */
  boolean hasBehind(int port) {
    int found = 0;
    for (int i = 0; i < count; i++) {
      found |= ports[listed[i]] & 1 << port;
    }
    return found != 0;
  }

  /** Leaves none behind a port. */
  void removeAll(int port) {
    byte others = (byte) ~(1 << port);
    for (int i = 0; i < count; i++) {
      ports[listed[i]] &= others;
      relayed[listed[i]] &= others;
    }
  }

  /**
   * The port that governed a destination at the last selection, or {@link
   * EndpointControl#UNGOVERNED}.
   */
  int governorOf(int destination) {
    return destination < governor.length ? governor[destination] - 1 : EndpointControl.UNGOVERNED;
  }

  void setGovernor(int destination, int port) {
    governor[destination] = (byte) (port + 1);
  }

  void sent(long nowNanos, int to) {
    list(to);
    sentAt[to] = nowNanos;
  }

  /**
   * Counts those sent to after a time, and drops the others unless they are behind a port.
   *
   * @param known bit i: something is known of port i; others carry the same as none
   * @return how many
   */
  int recount(long afterNanos, int known) {
    Arrays.fill(active, 0);
    Arrays.fill(common, 0);
    int all = 0;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int destination = listed[i];
      if (sentAt[destination] > afterNanos) {
        all++;
        int behind = portsOf(destination);
        for (int left = behind; left != 0; left &= left - 1) {
          int port = Integer.numberOfTrailingZeros(left);
          common[port] = (active[port] == 0 ? behind : common[port] & behind) & known;
          active[port]++;
        }
      } else {
        sentAt[destination] = NEVER;
      }
      if (sentAt[destination] != NEVER || ports[destination] != 0) {
        listed[kept++] = destination;
      } else {
        governor[destination] = 0;
      }
    }
    count = kept;
    return all;
  }

  /** How many behind a port were sent to, as of the last {@link #recount}. */
  int activeBehind(int port) {
    return active[port];
  }

  /**
   * Whether all that is sent through one of two ports goes through the other, too, as of the last
   * {@link #recount}.
   */
  boolean carrySame(int one, int other) {
    return (common[one] & 1 << other) != 0 && (common[other] & 1 << one) != 0;
  }

  /** How many are listed. */
  int count() {
    return count;
  }

  /** The destination at a place from 0 to {@link #count} - 1. */
  int at(int place) {
    return listed[place];
  }

  /** Whether it was sent to, as of the last {@link #recount}. */
  boolean wasSentTo(int destination) {
    return sentAt[destination] != NEVER;
  }

  private void list(int destination) {
    if (destination >= ports.length) {
      int before = ports.length;
      int size = Math.max(destination + 1, before * 2);
      ports = Arrays.copyOf(ports, size);
      relayed = Arrays.copyOf(relayed, size);
      governor = Arrays.copyOf(governor, size);
      sentAt = Arrays.copyOf(sentAt, size);
      Arrays.fill(sentAt, before, size, NEVER);
    }
    if (ports[destination] != 0 || sentAt[destination] != NEVER || isListed(destination)) {
      return;
    }
    if (count == listed.length) {
      listed = Arrays.copyOf(listed, count * 2);
    }
    listed[count++] = destination;
  }

  /** Only called for one that has lost its last port since the last {@link #recount}. */
  private boolean isListed(int destination) {
    for (int i = 0; i < count; i++) {
      if (listed[i] == destination) {
        return true;
      }
    }
    return false;
  }

  private static long[] filled(int size) {
    long[] result = new long[size];
    Arrays.fill(result, NEVER);
    return result;
  }
}
