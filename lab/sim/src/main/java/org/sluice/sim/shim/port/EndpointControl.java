// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import java.util.function.Supplier;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.HostLaw;
import org.sluice.sim.shim.law.PortNotice;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.queue.ClassQueue;

/**
 * Runs the laws of one endpoint's congested ports together. A destination that lies behind several
 * controlled ports is governed by the one where it is due least ({@link PortSelection}), and its
 * marks count for that port ({@link EvidenceIntake}; {@code docs/two-time-scale-law.md}, "Several
 * ports"). The floor at a port is the one that the controller published (promised deadlines are in
 * it beside the guarantee), never over the ceiling; where it published none, the guarantee is
 * spread over active destinations.
 *
 * <p>Use: on every report {@link #feedback}, on every reading of counters {@link #sent}, every tau
 * {@link #step}, then read the ports and {@link #governing}. Destinations are endpoint numbers.
 */
public final class EndpointControl {
  /** How many congested ports one endpoint can be controlled for at a time. */
  public static final int MAX_PORTS = ClassQueue.PORT_CLASSES;

  /** Returned by {@link #governing}: only the ceiling holds. */
  public static final int UNGOVERNED = -1;

  /** The floor of a port for which the controller published none. */
  public static final long NO_FLOOR = -1;

  /** How long a destination counts as active after the last byte sent to it, ns. */
  static final long ACTIVE_NANOS = 200_000_000L;

  static final long RECOUNT_NANOS = 50_000_000L;

  /**
   * Shares are refreshed every 100 ms: three were missed, and what was measured may have changed.
   */
  static final long REFRESHED_NANOS = 300_000_000L;

  private final Destinations destinations = new Destinations();
  private final PortTable ports;
  private final PortSelection selection;
  private final EvidenceIntake evidence;
  private long recountAt;

  /**
   * An endpoint without limits.
   *
   * @param newLaw makes one law per congested port
   * @param staleNanos how old a published share may be and still show that the controller is there
   */
  public EndpointControl(Supplier<HostLaw> newLaw, Bounds bounds, long staleNanos) {
    this.ports = new PortTable(newLaw, bounds, destinations, staleNanos);
    this.selection = new PortSelection(ports, destinations);
    this.evidence = new EvidenceIntake(ports, destinations, selection);
  }

  // ---------------------------------------------------------------- decisions

  /** The session with the controller has begun or ended. */
  public void setSession(boolean isOpen) {
    ports.setSession(isOpen);
  }

  /** Changes the endpoint's own profile; its guarantee is for all destinations together. */
  public void setBounds(Bounds value) {
    ports.setBounds(value);
  }

  /**
   * Starts, renews or (expired) ends the control of a port for this endpoint. What was relayed of
   * these destinations ends: the controller has their paths.
   *
   * @param behind the full set of destinations behind the port
   * @param floorBitsPerSecond as the controller published it, or {@link #NO_FLOOR}
   * @param weight the endpoint's at the port; 0 is its profile's
   * @param pairPart what part of its share there each destination that wants more is due
   * @return false if {@link #MAX_PORTS} are in force already: nothing has changed
   */
  public boolean setShare(
      PortId port,
      PortShare share,
      int[] behind,
      long floorBitsPerSecond,
      double weight,
      double pairPart) {
    if (share.expired()) {
      ports.remove(port);
      return true;
    }
    int index = ports.indexOf(port);
    if (index < 0) {
      return false;
    }
    PortControl control = ports.get(index);
    destinations.replace(index, behind);
    destinations.removeRelayed(behind);
    ports.setPart(control, floorBitsPerSecond, weight);
    control.pairPart = pairPart;
    if (control.isIdle) {
      ports.activate(control);
    }
    control.isRelayed = false;
    control.publishedNanos = ports.now;
    control.share = share;
    control.law.setShare(share);
    ports.removeEmptyRelayed();
    return true;
  }

  /**
   * Takes a port's share from the receiver's shim, which relays it where it sees marks. Where the
   * controller has published a share of the port for this destination, that one holds; elsewhere
   * this starts or renews the control of the port for the destination. Nothing changes where the
   * controller has published the destination behind another port, and so recently that it is there:
   * it publishes every port on the path, and this one is not on it.
   *
   * @return false if {@link #MAX_PORTS} are in force already: nothing has changed
   */
  @SuppressWarnings("ReferenceEquality") // NONE stands for no share, and no other share for it.
  public boolean takeRelayedShare(PortId port, PortShare share, int destination) {
    if (isPublishedElsewhere(destination, port)) {
      return true;
    }
    int index = ports.indexOf(port);
    if (index < 0) {
      return false;
    }
    PortControl control = ports.get(index);
    boolean isNew = control.share == PortShare.NONE;
    destinations.addRelayed(index, destination);
    if (isNew) {
      control.isRelayed = true;
    }
    if (control.isRelayed) {
      if (control.isIdle) {
        ports.activate(control);
      }
      control.share = share;
      control.law.setShare(share);
    }
    return true;
  }

  /** Whether the controller is there and has published a destination, but not behind this port. */
  private boolean isPublishedElsewhere(int destination, PortId port) {
    boolean published = false;
    for (int left = destinations.publishedPortsOf(destination); left != 0; left &= left - 1) {
      PortControl control = ports.get(Integer.numberOfTrailingZeros(left));
      if (control.port.equals(port)) {
        return false;
      }
      published |= ports.isFresh(control);
    }
    return published;
  }

  /**
   * Hands a notice to the law of its port, which it starts if needed. Under a law with shares the
   * destinations behind the port, and the floor, come with the share; a notice may name only those
   * that were marked. Under SDN-GCC's law notices name the destinations, and no floors: the
   * endpoint's own split holds.
   *
   * @return false if {@link #MAX_PORTS} are in force already: nothing has changed
   */
  public boolean takeNotice(long nowNanos, PortId port, PortNotice notice, int[] behind) {
    int index = ports.indexOf(port);
    if (index < 0) {
      return false;
    }
    PortControl control = ports.get(index);
    if (!control.hasShare()) {
      destinations.replace(index, behind);
      ports.setPart(control, NO_FLOOR, 0);
      if (control.isIdle) {
        ports.activate(control);
      }
    } else if (control.isIdle && notice.marks() > 0) {
      ports.reactivate(control);
    }
    control.law.takeNotice(nowNanos, notice);
    if (notice.packets() > 0) {
      control.markShare = Math.min(notice.marks() / notice.packets(), 1);
    }
    return true;
  }

  /** Ends the control of a port. */
  public void remove(PortId port) {
    ports.remove(port);
  }

  // ---------------------------------------------------------------- evidence

  /** Adds what a receiver reported of packets to a destination. */
  public void feedback(int to, long packets, long cePackets) {
    evidence.reported(to, packets, cePackets);
  }

  /** Adds bytes that left for a destination, controlled or not. */
  public void sent(long nowNanos, int to, long bytes) {
    if (bytes > 0) {
      evidence.sent(nowNanos, to, bytes);
    }
  }

  // ---------------------------------------------------------------- every tau

  /**
   * Ends an interval for all ports.
   *
   * @param backlogged bit i: the class of port i held packets at its end
   */
  public void step(long nowNanos, int backlogged) {
    ports.now = nowNanos;
    if (nowNanos >= recountAt || nowNanos < recountAt - RECOUNT_NANOS) {
      recount(nowNanos);
    }
    findLoans();
    for (int i = 0; i < MAX_PORTS; i++) {
      if (ports.get(i) != null) {
        ports.get(i).step(nowNanos, (backlogged & 1 << i) != 0, ports);
      }
    }
  }

  /** Nothing is borrowed at a port for what crosses another one without a lent part. */
  private void findLoans() {
    boolean isAnythingLent = false;
    for (int i = 0; i < MAX_PORTS; i++) {
      if (ports.get(i) != null) {
        ports.get(i).lentPart = ports.lentPart(ports.get(i));
        isAnythingLent |= ports.get(i).lentPart > 0;
      }
    }
    for (int i = 0; i < destinations.count() && isAnythingLent; i++) {
      int destination = destinations.at(i);
      int governing = selection.governing(destination);
      if (governing != UNGOVERNED && destinations.wasSentTo(destination)) {
        PortControl control = ports.get(governing);
        for (int left = destinations.portsOf(destination); left != 0; left &= left - 1) {
          PortControl other = ports.get(Integer.numberOfTrailingZeros(left));
          control.lentPart = Math.min(control.lentPart, ports.lentPart(other));
        }
      }
    }
  }

  /** Counts active destinations, and gives every port its floor. */
  private void recount(long nowNanos) {
    recountAt = nowNanos + RECOUNT_NANOS;
    int active = destinations.recount(nowNanos - ACTIVE_NANOS, ports.stepped());
    for (int i = 0; i < MAX_PORTS; i++) {
      if (ports.get(i) != null) {
        ports.get(i).activeDestinations = destinations.activeBehind(i);
        ports.get(i).governedDestinations = 0;
      }
    }
    for (int i = 0; i < destinations.count(); i++) {
      int destination = destinations.at(i);
      if (destinations.wasSentTo(destination)) {
        int governing = selection.governing(destination);
        if (governing >= 0) {
          ports.get(governing).governedDestinations++;
        }
      }
    }
    ports.setActiveDestinations(active);
  }

  /** Whether index i, 0 to {@link #MAX_PORTS} - 1, stands for a port that limits. */
  public boolean isActive(int i) {
    return ports.get(i) != null && !ports.get(i).isIdle;
  }

  /** The port of index i; null if it is free. */
  public PortId port(int i) {
    return ports.get(i) == null ? null : ports.get(i).port;
  }

  /**
   * What is in force for destinations that port i, which must not be free, governs, bit/s: what the
   * endpoint may send through it, less what goes there in the classes of other ports, and no more
   * than it may through those that carry the same.
   */
  public long limitBitsPerSecond(int i) {
    PortControl control = ports.get(i);
    if (control.isIdle) {
      return ports.ceilingBitsPerSecond();
    }
    PortControl least = selection.leastLike(i);
    return control.remaining(least, ports.floorBitsPerSecond(least));
  }

  /** The part of reported packets, where port i governs, with CE in the last interval with any. */
  public double ceShare(int i) {
    return ports.get(i).markShare;
  }

  /**
   * The index of the port whose limit holds for a destination: of those that are active the one
   * where it is due least, or hardly more and that governed it before; or {@link #UNGOVERNED}.
   */
  public int governing(int to) {
    return selection.governing(to);
  }
}
