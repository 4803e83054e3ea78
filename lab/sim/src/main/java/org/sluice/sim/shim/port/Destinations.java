// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import java.util.Arrays;

/** Whom an endpoint sends to, and behind which of its controlled ports each lies. */
final class Destinations {
  private static final long NEVER = Long.MIN_VALUE;

  // By endpoint number:
  private byte[] groups = new byte[16];

  /** Those of {@link #groups} that a receiver's shim named, not the controller. */
  private byte[] learnt = new byte[16];

  private long[] sentAt = filled(16);

  /** 1 more than the group that was obeyed at the last look; 0: none. */
  private byte[] obeyed = new byte[16];

  /** Those with a group or with traffic of late. */
  private int[] known = new int[16];

  private int knownCount;
  private final int[] active = new int[EndpointControl.MAX_GROUPS];

  /** Bit i: behind the port of group i. */
  int groupsOf(int destination) {
    return destination < groups.length ? groups[destination] & 0xff : 0;
  }

  /** Bit i: behind the port of group i, as the controller says. */
  int toldGroupsOf(int destination) {
    return destination < groups.length ? groups[destination] & ~learnt[destination] & 0xff : 0;
  }

  /** Makes these the full set behind the port of a group. */
  void name(int group, int[] behind) {
    forget(group);
    for (int destination : behind) {
      remember(destination);
      groups[destination] |= (byte) (1 << group);
    }
  }

  /** Puts one more behind the port of a group, as its own shim says. */
  void join(int group, int destination) {
    remember(destination);
    int bit = 1 << group;
    if ((groups[destination] & bit) == 0) {
      groups[destination] |= (byte) bit;
      learnt[destination] |= (byte) bit;
    }
  }

  /** Leaves only what the controller says of them. */
  void forgetLearnt(int[] of) {
    for (int destination : of) {
      groups[destination] &= (byte) ~learnt[destination];
      learnt[destination] = 0;
    }
  }

  void forget(int group) {
    byte others = (byte) ~(1 << group);
    for (int i = 0; i < knownCount; i++) {
      groups[known[i]] &= others;
      learnt[known[i]] &= others;
    }
  }

  /**
   * The group that a destination obeyed at the last look, or {@link EndpointControl#UNGOVERNED}.
   */
  int obeyedBy(int destination) {
    return destination < obeyed.length ? obeyed[destination] - 1 : EndpointControl.UNGOVERNED;
  }

  void obey(int destination, int group) {
    obeyed[destination] = (byte) (group + 1);
  }

  void sent(long nowNanos, int to) {
    remember(to);
    sentAt[to] = nowNanos;
  }

  /**
   * Counts those sent to after a time, and forgets the others unless they are in a group.
   *
   * @return how many
   */
  int recount(long afterNanos) {
    Arrays.fill(active, 0);
    int all = 0;
    int kept = 0;
    for (int i = 0; i < knownCount; i++) {
      int destination = known[i];
      if (sentAt[destination] > afterNanos) {
        all++;
        for (int rest = groupsOf(destination); rest != 0; rest &= rest - 1) {
          active[Integer.numberOfTrailingZeros(rest)]++;
        }
      } else {
        sentAt[destination] = NEVER;
      }
      if (sentAt[destination] != NEVER || groups[destination] != 0) {
        known[kept++] = destination;
      } else {
        obeyed[destination] = 0;
      }
    }
    knownCount = kept;
    return all;
  }

  /** How many of a group were sent to, as of the last {@link #recount}. */
  int activeIn(int group) {
    return active[group];
  }

  /** How many are known. */
  int count() {
    return knownCount;
  }

  /** The destination at a place from 0 to {@link #count} - 1. */
  int at(int place) {
    return known[place];
  }

  /** Whether it was sent to, as of the last {@link #recount}. */
  boolean wasSentTo(int destination) {
    return sentAt[destination] != NEVER;
  }

  private void remember(int destination) {
    if (destination >= groups.length) {
      int before = groups.length;
      int size = Math.max(destination + 1, before * 2);
      groups = Arrays.copyOf(groups, size);
      learnt = Arrays.copyOf(learnt, size);
      obeyed = Arrays.copyOf(obeyed, size);
      sentAt = Arrays.copyOf(sentAt, size);
      Arrays.fill(sentAt, before, size, NEVER);
    }
    if (groups[destination] != 0 || sentAt[destination] != NEVER || isListed(destination)) {
      return;
    }
    if (knownCount == known.length) {
      known = Arrays.copyOf(known, knownCount * 2);
    }
    known[knownCount++] = destination;
  }

  /** Only asked about one that has lost its last group since the last {@link #recount}. */
  private boolean isListed(int destination) {
    for (int i = 0; i < knownCount; i++) {
      if (known[i] == destination) {
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
