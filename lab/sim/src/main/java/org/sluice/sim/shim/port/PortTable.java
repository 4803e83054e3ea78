// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import java.util.function.Supplier;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.HostLaw;

/** The ports that one endpoint is controlled for, by index, and the bounds of their laws. */
final class PortTable {
  private final Supplier<HostLaw> newLaw;
  private final Destinations destinations;
  private final long staleNanos;
  private final PortControl[] ports = new PortControl[EndpointControl.MAX_PORTS];
  private Bounds bounds;

  /** Of all the endpoint's destinations, as of the last {@link #setActiveDestinations}. */
  private int activeDestinations;

  private boolean hasSession;
  private long sessionNanos;

  /** As of the last step, ns. */
  long now;

  PortTable(Supplier<HostLaw> newLaw, Bounds bounds, Destinations destinations, long staleNanos) {
    this.staleNanos = staleNanos;
    this.newLaw = newLaw;
    this.bounds = bounds;
    this.destinations = destinations;
  }

  /** The port at an index, which is null where it is free. */
  PortControl get(int index) {
    return ports[index];
  }

  /** The index of a port, added if need be; below 0 if there is no space. */
  int indexOf(PortId port) {
    int free = -1;
    for (int i = 0; i < ports.length; i++) {
      if (ports[i] == null) {
        free = free < 0 ? i : free;
      } else if (ports[i].port.equals(port)) {
        return i;
      }
    }
    // An idle port is worth less than one in need of control.
    for (int i = 0; i < ports.length && free < 0; i++) {
      if (ports[i].isIdle) {
        remove(ports[i].port);
        free = i;
      }
    }
    if (free >= 0) {
      ports[free] = new PortControl(port);
      activate(ports[free]);
    }
    return free;
  }

  void remove(PortId port) {
    for (int i = 0; i < ports.length; i++) {
      if (ports[i] != null && ports[i].port.equals(port)) {
        destinations.removeAll(i);
        ports[i] = null;
      }
    }
  }

  /** Removes the ports that are known from receivers' shims alone and have no destination left. */
  void removeEmptyRelayed() {
    for (int i = 0; i < ports.length; i++) {
      if (ports[i] != null && ports[i].isRelayed && !destinations.hasBehind(i)) {
        ports[i] = null;
      }
    }
  }

  /** Gives a port a new law: the evidence of the old one is out of date. */
  void activate(PortControl control) {
    control.activate(newLaw.get(), bounds.ceilingBitsPerSecond());
    bound(control);
  }

  /** Activates a port because of a mark: its last share is the best reference that there is. */
  void reactivate(PortControl control) {
    activate(control);
    control.law.setShare(control.share);
  }

  void setPart(PortControl control, long floor, double weight) {
    if (control.floor != floor || control.weight != weight) {
      control.floor = floor;
      control.weight = weight;
      bound(control);
    }
  }

  void setBounds(Bounds value) {
    bounds = value;
    boundAll();
  }

  long ceilingBitsPerSecond() {
    return bounds.ceilingBitsPerSecond();
  }

  /** Gives every port its part of the guarantee, by how many of so many destinations it has. */
  void setActiveDestinations(int overall) {
    activeDestinations = overall;
    boundAll();
  }

  /** The session with the controller has begun or ended. */
  void setSession(boolean isOpen) {
    hasSession = isOpen;
    sessionNanos = now;
  }

  /**
   * Whether silence about a port may end its control. Without a controller the last shares stay in
   * force; one that is there and has not published a port for long does not control it.
   */
  boolean mayEnd(PortControl control) {
    return control.isRelayed
        || control.share.unitShareBitsPerSecond() == 0
        || hasSession && now - Math.max(control.publishedNanos, sessionNanos) >= staleNanos;
  }

  /** Whether the controller is there and says what the port is due to give. */
  boolean isFresh(PortControl control) {
    return !control.isRelayed
        && control.share.unitShareBitsPerSecond() > 0
        && now - control.publishedNanos < staleNanos;
  }

  /** Whether what the controller measured at the port is of just now. */
  boolean isRefreshed(PortControl control) {
    return isFresh(control) && now - control.publishedNanos < EndpointControl.REFRESHED_NANOS;
  }

  /** What part of its share may be borrowed at a port; nothing without the controller. */
  double lentPart(PortControl control) {
    return isRefreshed(control) ? control.share.lentPart() : 0;
  }

  /** What a port is due to give: w u, or the floor where that is more, under the ceiling. */
  double dueBitsPerSecond(PortControl control) {
    double share = weight(control) * control.share.unitShareBitsPerSecond();
    double floor = floorBitsPerSecond(control);
    return share > 0
        ? Math.min(bounds.ceilingBitsPerSecond(), Math.max(floor, share))
        : control.limit;
  }

  /** The floor of a port, bit/s. */
  long floorBitsPerSecond(PortControl control) {
    return control.floorBitsPerSecond(bounds, activeDestinations);
  }

  private double weight(PortControl control) {
    return control.weight > 0 ? control.weight : bounds.weight();
  }

  private void boundAll() {
    for (PortControl control : ports) {
      if (control != null) {
        bound(control);
      }
    }
  }

  private void bound(PortControl control) {
    long floor = floorBitsPerSecond(control);
    control.law.setBounds(new Bounds(bounds.ceilingBitsPerSecond(), floor, weight(control)));
  }

  /** Bit i: port i has ended an interval. */
  int stepped() {
    int stepped = 0;
    for (int i = 0; i < ports.length; i++) {
      stepped |= ports[i] != null && ports[i].stepped ? 1 << i : 0;
    }
    return stepped;
  }
}
