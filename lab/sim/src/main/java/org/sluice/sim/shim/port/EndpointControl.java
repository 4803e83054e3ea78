// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import java.util.function.Supplier;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.Law;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;
import org.sluice.sim.shim.queue.ClassQueue;

/**
 * Puts the laws of one endpoint's congested ports together. A destination that lies behind several
 * controlled ports obeys the lowest limit, and its marks, which do not say which port set them,
 * count for that port alone ({@code docs/two-time-scale-law.md}, "Several ports"). What it sends
 * counts for every port that it crosses. The floor of a group is the one that the controller told
 * (promised deadlines are in it beside the guarantee), never over the ceiling; where it told none,
 * the guarantee is spread over active destinations.
 *
 * <p>Use: on every feedback {@link #feedback}, on every look at counters {@link #sent}, every tau
 * {@link #step}, then read the groups and {@link #governing}. Destinations are endpoint numbers.
 */
public final class EndpointControl {
  /** How many congested ports one endpoint can be controlled for at a time. */
  public static final int MAX_GROUPS = ClassQueue.PORT_CLASSES;

  /** Returned by {@link #governing}: only the ceiling holds. */
  public static final int UNGOVERNED = -1;

  /** The floor of a port for which the controller told none. */
  public static final long NO_FLOOR = -1;

  /** How long a destination counts as active after the last byte sent to it, ns. */
  static final long ACTIVE_NANOS = 200_000_000L;

  private static final long RECOUNT_NANOS = 50_000_000L;

  /**
   * A destination obeys another group only if that is lower by one part in so many, lest it wander
   * between two that are about equal. Packets overtake each other when it does.
   */
  private static final double GOVERN_MARGIN = 10;

  /**
   * Ports whose limits are no more than one part in so many above the lowest are taken to mark as
   * much as that one does.
   */
  private static final double TIE_MARGIN = 4;

  /** How old the controller's word may be and still be taken for that of one that lives, ns. */
  private static final long STALE_NANOS = TwoTimeScaleParameters.DEFAULTS.staleNanos();

  private final Supplier<Law> newLaw;
  private final PortGroup[] groups = new PortGroup[MAX_GROUPS];
  private final Destinations destinations = new Destinations();
  private Bounds bounds;
  private long recountAt;
  private int active;

  /** As of the last step. */
  private long now;

  /**
   * An endpoint without limits.
   *
   * @param newLaw makes one law per congested port
   */
  public EndpointControl(Supplier<Law> newLaw, Bounds bounds) {
    this.newLaw = newLaw;
    this.bounds = bounds;
  }

  /** Changes the endpoint's own policy; its guarantee is for all destinations together. */
  public void setBounds(Bounds value) {
    bounds = value;
    for (PortGroup g : groups) {
      if (g != null) {
        bound(g);
      }
    }
  }

  /**
   * Starts, renews or (expired) ends the control of a port for this endpoint. What was learnt of
   * these destinations ends: the controller knows their ways.
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
    PortGroup g = groups[index];
    destinations.name(index, behind);
    destinations.forgetLearnt(behind);
    setFloor(g, floorBitsPerSecond);
    if (g.asleep) {
      wake(g);
    }
    g.learnt = false;
    g.toldAt = now;
    g.share = share;
    g.law.setShare(share);
    return true;
  }

  /**
   * Takes a port's share from the receiver's shim, which passes it on where it sees marks. Where
   * the controller has told of the port for this destination, its word holds; elsewhere this starts
   * or renews the control of the port for the destination. Nothing changes where the controller has
   * told of the destination behind another port, and not so long ago that it may be gone: it tells
   * of every port on the way, and this one is not.
   *
   * @return false if {@link #MAX_GROUPS} ports are in force already: nothing has changed
   */
  public boolean learnShare(PortId port, PortShare share, int destination) {
    if (isToldOf(destination, port)) {
      return true;
    }
    int index = groupOf(port);
    if (index < 0) {
      return false;
    }
    PortGroup g = groups[index];
    boolean isNew = g.share == PortShare.NONE;
    destinations.join(index, destination);
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

  /** Whether the controller lives and has named a destination, but not behind this port. */
  private boolean isToldOf(int destination, PortId port) {
    boolean told = false;
    for (int rest = destinations.toldGroupsOf(destination); rest != 0; rest &= rest - 1) {
      PortGroup g = groups[Integer.numberOfTrailingZeros(rest)];
      if (g.port.equals(port)) {
        return false;
      }
      told |= !g.learnt && g.share != PortShare.NONE && now - g.toldAt < STALE_NANOS;
    }
    return told;
  }

  /**
   * Hands a notice to the law of its port, which it starts if needed. Under Sluice's law what lies
   * behind the port, and the floor, are told with the share; a notice may name only those that were
   * marked. Under the paper's law notices tell the destinations, and no floors: the endpoint's own
   * split holds.
   *
   * @return false if {@link #MAX_GROUPS} ports are in force already: nothing has changed
   */
  public boolean takeNotice(long nowNanos, PortId port, PortNotice notice, int[] behind) {
    int index = groupOf(port);
    if (index < 0) {
      return false;
    }
    PortGroup g = groups[index];
    boolean sharesTell = g.law instanceof TwoTimeScale && g.share.unitShareBitsPerSecond() > 0;
    if (!sharesTell) {
      destinations.name(index, behind);
      setFloor(g, NO_FLOOR);
      if (g.asleep) {
        wake(g);
      }
    } else if (g.asleep && notice.marks() > 0) {
      rouse(g);
    }
    g.law.takeNotice(nowNanos, notice);
    if (notice.packets() > 0) {
      g.lastMarks = Math.min(notice.marks() / notice.packets(), 1);
    }
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
   * Adds what a receiver reported: marks to the group that the destination obeys. Where all of its
   * groups sleep a mark wakes them: with the controller gone their last shares are what there is to
   * go by.
   */
  public void feedback(int to, long packets, long cePackets, long bytes) {
    int governor = governing(to);
    if (governor < 0 && cePackets > 0) {
      rouseAll(to);
      governor = governing(to);
    }
    int behind = destinations.groupsOf(to);
    for (int rest = behind; rest != 0; rest &= rest - 1) {
      PortGroup g = groups[Integer.numberOfTrailingZeros(rest)];
      g.interval.deliveredBytes += bytes;
      if (governor < 0) {
        // Nobody limits it: what its sleeping groups show is only to be looked at.
        g.interval.packets += packets;
      }
    }
    if (governor < 0) {
      return;
    }
    if ((behind & behind - 1) != 0) {
      share(behind, governor, packets, cePackets);
    } else {
      groups[governor].interval.packets += packets;
      groups[governor].interval.cePackets += cePackets;
    }
  }

  /**
   * Adds what was reported of a destination that lies behind several ports. A port that marks with
   * probability f leaves 1 - f of what crosses it unmarked, so where f is known, from destinations
   * that obey that port, it is divided out.
   */
  private void share(int behind, int governor, long packets, long cePackets) {
    PortGroup g = groups[governor];
    double unmarked = packets - Math.min(cePackets, packets);
    int ports = 1;
    for (int rest = behind & ~(1 << governor); rest != 0; rest &= rest - 1) {
      PortGroup other = groups[Integer.numberOfTrailingZeros(rest)];
      if (other.asleep) {
        continue;
      }
      if (other.knownMarks.isValid()) {
        unmarked /= other.knownMarks.unmarkedPart();
      } else if (other.level <= g.level + g.level / TIE_MARGIN) {
        ports++;
      }
    }
    g.sharedMarks.add(packets, unmarked, ports);
  }

  private void rouseAll(int to) {
    for (int rest = destinations.groupsOf(to); rest != 0; rest &= rest - 1) {
      PortGroup g = groups[Integer.numberOfTrailingZeros(rest)];
      if (g.share.unitShareBitsPerSecond() > 0) {
        rouse(g);
      }
    }
  }

  /** Adds bytes that left for a destination, controlled or not. */
  public void sent(long nowNanos, int to, long bytes) {
    if (bytes == 0) {
      return;
    }
    destinations.sent(nowNanos, to);
    int governor = governing(to);
    for (int rest = destinations.groupsOf(to); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      groups[i].interval.sentBytes += bytes;
      if (governor >= 0 && governor != i) {
        groups[i].sentElsewhere.add(governor, bytes);
      }
    }
  }

  /**
   * Ends an interval for all groups.
   *
   * @param backlogged bit i: the class of group i held packets at its end
   */
  public void step(long nowNanos, int backlogged) {
    now = nowNanos;
    if (nowNanos >= recountAt || nowNanos < recountAt - RECOUNT_NANOS) {
      recount(nowNanos);
    }
    for (int i = 0; i < MAX_GROUPS; i++) {
      if (groups[i] != null) {
        groups[i].step(nowNanos, (backlogged & 1 << i) != 0, groups);
      }
    }
  }

  /** Whether group i, 0 to {@link #MAX_GROUPS} - 1, stands for a port and limits it. */
  public boolean isAwake(int i) {
    return groups[i] != null && !groups[i].asleep;
  }

  /** The port of group i; null if it is free. */
  public PortId port(int i) {
    return groups[i] == null ? null : groups[i].port;
  }

  /**
   * What is in force for what obeys group i, which must not be free, bit/s: what the endpoint may
   * send through its port, less what goes there in the classes of lower limits.
   */
  public long limitBitsPerSecond(int i) {
    PortGroup g = groups[i];
    return g.asleep ? bounds.ceilingBitsPerSecond() : g.left();
  }

  /** The part of reported packets, of what obeys group i, with CE in the last interval with any. */
  public double ceShare(int i) {
    return groups[i].lastMarks;
  }

  /**
   * The group whose limit holds for a destination: the lowest of those that are awake, or one that
   * is hardly higher and held before; or {@link #UNGOVERNED}.
   */
  public int governing(int to) {
    int behind = destinations.groupsOf(to);
    int lowest = UNGOVERNED;
    for (int rest = behind; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      PortGroup g = groups[i];
      if (!g.asleep && (lowest < 0 || g.level < groups[lowest].level)) {
        lowest = i;
      }
    }
    int before = destinations.obeyedBy(to);
    if (lowest >= 0 && before >= 0 && before != lowest && (behind & 1 << before) != 0) {
      PortGroup present = groups[before];
      if (!present.asleep
          && groups[lowest].level >= present.level - present.level / GOVERN_MARGIN) {
        lowest = before;
      }
    }
    if (lowest != before) {
      destinations.obey(to, lowest);
    }
    return lowest;
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
      groups[free] = new PortGroup(port);
      wake(groups[free]);
    }
    return free;
  }

  /** Gives a group a new law: what the old one knew is out of date. */
  private void wake(PortGroup g) {
    g.wake(newLaw.get(), bounds.ceilingBitsPerSecond());
    bound(g);
  }

  /** Wakes a group by a mark: the share that it remembers is what there is to go by. */
  private void rouse(PortGroup g) {
    wake(g);
    g.law.setShare(g.share.asStale());
  }

  private void setFloor(PortGroup g, long floor) {
    if (g.floor != floor) {
      g.floor = floor;
      bound(g);
    }
  }

  private void bound(PortGroup g) {
    long floor = g.floorBitsPerSecond(bounds, active);
    g.law.setBounds(new Bounds(bounds.ceilingBitsPerSecond(), floor, bounds.weight()));
  }

  /** Counts active destinations, and gives every group its floor. */
  private void recount(long nowNanos) {
    recountAt = nowNanos + RECOUNT_NANOS;
    active = destinations.recount(nowNanos - ACTIVE_NANOS);
    for (int i = 0; i < MAX_GROUPS; i++) {
      if (groups[i] != null) {
        groups[i].active = destinations.activeIn(i);
        groups[i].obeying = 0;
      }
    }
    for (int i = 0; i < destinations.count(); i++) {
      int destination = destinations.at(i);
      if (destinations.wasSentTo(destination)) {
        int governor = governing(destination);
        if (governor >= 0) {
          groups[governor].obeying++;
        }
      }
    }
    for (PortGroup g : groups) {
      if (g != null) {
        bound(g);
      }
    }
  }
}
