// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

import java.util.function.Supplier;
import org.sluice.api.PortId;

/**
 * Puts the laws of one endpoint's congested ports together. A destination that lies behind several
 * controlled ports is fed to the law of each, obeys the lowest limit, and its marks are never added
 * up. The floor of a group is the one that the controller told, never over the guarantee; where it
 * told none, the guarantee is spread over active destinations.
 *
 * <p>Use: on every feedback {@link #feedback}, on every look at counters {@link #sent}, every tau
 * {@link #step}, then read the groups and {@link #governing}. Destinations are endpoint numbers.
 */
public final class EndpointControl {
  /** How many congested ports one endpoint can be controlled for at a time. */
  public static final int MAX_GROUPS = 8;

  /** Returned by {@link #governing}: only the ceiling holds. */
  public static final int UNGOVERNED = -1;

  /** The floor of a port for which the controller told none. */
  public static final long NO_FLOOR = -1;

  /** How long a destination counts as active after the last byte sent to it, ns. */
  static final long ACTIVE_NANOS = 200_000_000L;

  private static final long RECOUNT_NANOS = 50_000_000L;

  private final Supplier<Law> newLaw;
  private final Group[] groups = new Group[MAX_GROUPS];
  private final Destinations destinations = new Destinations();
  private Bounds bounds;
  private long recountAt;
  private int active;

  /**
   * An endpoint without limits.
   *
   * @param newLaw makes one law per congested port
   */
  public EndpointControl(Supplier<Law> newLaw, Bounds bounds) {
    this.newLaw = newLaw;
    this.bounds = bounds;
  }

  private static final class Group {
    final PortId port;
    final Interval interval = new Interval();
    Law law;
    long limit;
    PortShare share = PortShare.NONE;
    long floor = NO_FLOOR;
    boolean learnt;
    boolean asleep;
    boolean stepped;
    long lastStep;
    int active;
    double lastMarks;

    Group(PortId port) {
      this.port = port;
    }
  }

  /** Changes the endpoint's own policy; its guarantee is for all destinations together. */
  public void setBounds(Bounds value) {
    bounds = value;
    for (Group g : groups) {
      if (g != null) {
        bound(g);
      }
    }
  }

  /**
   * Starts, renews or (expired) ends the control of a port for this endpoint.
   *
   * @param behind the full set of destinations behind the port
   * @param floorBitsPerSecond as the controller told it, or {@link #NO_FLOOR}
   * @return false if {@link #MAX_GROUPS} ports are in force already: nothing has changed
   */
  public boolean setShare(PortId port, PortShare share, int[] behind, long floorBitsPerSecond) {
    if (share.expired()) {
      remove(port);
      return true;
    }
    int index = groupOf(port);
    if (index < 0) {
      return false;
    }
    Group g = groups[index];
    destinations.name(index, behind);
    setFloor(g, floorBitsPerSecond);
    if (g.asleep) {
      wake(g);
    }
    g.learnt = false;
    g.share = share;
    g.law.setShare(share);
    return true;
  }

  /**
   * Takes a port's share from the receiver's shim, which passes it on where it sees marks. Where
   * the controller has told of the port for this destination, its word holds; elsewhere this starts
   * or renews the control of the port for the destination.
   *
   * @return false if {@link #MAX_GROUPS} ports are in force already: nothing has changed
   */
  public boolean learnShare(PortId port, PortShare share, int destination) {
    int index = groupOf(port);
    if (index < 0) {
      return false;
    }
    Group g = groups[index];
    boolean isNew = g.share == PortShare.NONE;
    destinations.addTo(index, destination);
    if (isNew) {
      g.learnt = true;
    }
    if (g.learnt) {
      if (g.asleep) {
        wake(g);
      }
      g.share = share;
      g.law.setShare(share);
    }
    return true;
  }

  /**
   * Hands a notice to the law of its port, which it starts if needed. Floor and destinations that
   * came with a share stay; under the paper's law, which tells no shares, the notice names the
   * destinations and the endpoint's own split of its guarantee holds.
   *
   * @return false if {@link #MAX_GROUPS} ports are in force already: nothing has changed
   */
  public boolean takeNotice(long nowNanos, PortId port, PortNotice notice, int[] behind) {
    int index = groupOf(port);
    if (index < 0) {
      return false;
    }
    Group g = groups[index];
    boolean isShared = g.share != PortShare.NONE;
    if (!isShared) {
      destinations.name(index, behind);
      setFloor(g, NO_FLOOR);
    }
    if (g.asleep) {
      wake(g);
      if (isShared) {
        g.law.setShare(g.share.asStale());
      }
    }
    g.law.takeNotice(nowNanos, notice);
    return true;
  }

  /** Ends the control of a port. */
  public void remove(PortId port) {
    for (int i = 0; i < MAX_GROUPS; i++) {
      if (groups[i] != null && groups[i].port.equals(port)) {
        destinations.forget(i);
        groups[i] = null;
      }
    }
  }

  /**
   * Adds what a receiver reported. A mark for a sleeping group wakes it: with the controller gone
   * its last share is what there is to go by.
   */
  public void feedback(int to, long packets, long cePackets, long bytes) {
    for (int rest = destinations.groupsOf(to); rest != 0; rest &= rest - 1) {
      Group g = groups[Integer.numberOfTrailingZeros(rest)];
      g.interval.packets += packets;
      g.interval.cePackets += cePackets;
      g.interval.deliveredBytes += bytes;
      if (cePackets > 0 && g.asleep && g.share.unitShareBitsPerSecond() > 0) {
        wake(g);
        g.law.setShare(g.share.asStale());
      }
    }
  }

  /** Adds bytes that left for a destination, controlled or not. */
  public void sent(long nowNanos, int to, long bytes) {
    if (bytes == 0) {
      return;
    }
    destinations.sent(nowNanos, to);
    for (int rest = destinations.groupsOf(to); rest != 0; rest &= rest - 1) {
      groups[Integer.numberOfTrailingZeros(rest)].interval.sentBytes += bytes;
    }
  }

  /**
   * Ends an interval for all groups.
   *
   * @param backlogged bit i: the class of group i held packets at its end
   */
  public void step(long nowNanos, int backlogged) {
    if (nowNanos >= recountAt || nowNanos < recountAt - RECOUNT_NANOS) {
      recount(nowNanos);
    }
    for (int i = 0; i < MAX_GROUPS; i++) {
      if (groups[i] != null) {
        step(groups[i], nowNanos, (backlogged & 1 << i) != 0);
      }
    }
  }

  private static void step(Group g, long nowNanos, boolean backlogged) {
    Interval interval = g.interval;
    // Two sums that are each right may have been read a moment apart.
    interval.cePackets = Math.min(interval.cePackets, interval.packets);
    if (interval.packets > 0) {
      g.lastMarks = (double) interval.cePackets / (double) interval.packets;
    }
    if (!g.asleep) {
      interval.nowNanos = nowNanos;
      interval.elapsedNanos = g.stepped ? nowNanos - g.lastStep : 0;
      interval.backlogged = backlogged;
      g.stepped = true;
      g.lastStep = nowNanos;
      g.limit = g.law.step(interval);
      g.asleep = g.law.isIdle(nowNanos);
    }
    interval.clear();
  }

  /** Whether group i, 0 to {@link #MAX_GROUPS} - 1, stands for a port and limits it. */
  public boolean isAwake(int i) {
    return groups[i] != null && !groups[i].asleep;
  }

  /** The port of group i; null if it is free. */
  public PortId port(int i) {
    return groups[i] == null ? null : groups[i].port;
  }

  /** What is in force for group i, which must not be free, bit/s. */
  public long limitBitsPerSecond(int i) {
    Group g = groups[i];
    return g.asleep ? bounds.ceilingBitsPerSecond() : g.limit;
  }

  /** The part of reported packets that carried CE in group i's last interval with any. */
  public double ceShare(int i) {
    return groups[i].lastMarks;
  }

  /** The group whose limit holds for a destination, the lowest; or {@link #UNGOVERNED}. */
  public int governing(int to) {
    int lowest = UNGOVERNED;
    for (int rest = destinations.groupsOf(to); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      Group g = groups[i];
      if (!g.asleep && (lowest < 0 || g.limit < groups[lowest].limit)) {
        lowest = i;
      }
    }
    return lowest;
  }

  /** Whether a destination lies behind the port of group i. */
  public boolean isBehind(int i, int destination) {
    return (destinations.groupsOf(destination) & 1 << i) != 0;
  }

  /**
   * The part of an endpoint's guarantee that one group may claim where the controller told no
   * floor: equal parts for the destinations that are active (hose model, the source's side). A
   * group without active destinations is reckoned with one, so that its first packets find a floor.
   */
  static long groupFloor(long guaranteeBitsPerSecond, int activeInGroup, int activeOverall) {
    int inGroup = activeInGroup;
    int overall = activeOverall;
    if (inGroup < 1) {
      inGroup = 1;
      overall++;
    }
    return (long) ((double) guaranteeBitsPerSecond * inGroup / Math.max(overall, inGroup));
  }

  /** The group of a port, made if need be; below 0 if there is no room. */
  private int groupOf(PortId port) {
    int free = -1;
    for (int i = 0; i < MAX_GROUPS; i++) {
      if (groups[i] == null) {
        free = free < 0 ? i : free;
      } else if (groups[i].port.equals(port)) {
        return i;
      }
    }
    // A sleeping port is worth less than one in need of control.
    for (int i = 0; i < MAX_GROUPS && free < 0; i++) {
      if (groups[i].asleep) {
        remove(groups[i].port);
        free = i;
      }
    }
    if (free >= 0) {
      groups[free] = new Group(port);
      wake(groups[free]);
    }
    return free;
  }

  /** Gives a group a new law: what the old one knew is out of date. */
  private void wake(Group g) {
    g.law = newLaw.get();
    g.asleep = false;
    g.stepped = false;
    g.limit = bounds.ceilingBitsPerSecond();
    bound(g);
  }

  private void setFloor(Group g, long floor) {
    if (g.floor != floor) {
      g.floor = floor;
      bound(g);
    }
  }

  private void bound(Group g) {
    long guarantee = bounds.guaranteeBitsPerSecond();
    long floor =
        g.floor == NO_FLOOR
            ? groupFloor(guarantee, g.active, active)
            : Math.min(g.floor, guarantee);
    g.law.setBounds(new Bounds(bounds.ceilingBitsPerSecond(), floor, bounds.weight()));
  }

  /** Counts active destinations, and gives every group its floor. */
  private void recount(long nowNanos) {
    recountAt = nowNanos + RECOUNT_NANOS;
    active = destinations.recount(nowNanos - ACTIVE_NANOS);
    for (int i = 0; i < MAX_GROUPS; i++) {
      if (groups[i] != null) {
        groups[i].active = destinations.activeIn(i);
        bound(groups[i]);
      }
    }
  }
}
