// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

/**
 * Which of the ports that a destination lies behind governs it: the one where it is due least, as
 * the controller has divided what the endpoint is due there among its destinations.
 */
final class PortSelection {
  /**
   * Another port governs a destination only once it is due less there by one part in so many:
   * packets overtake each other whenever it changes.
   */
  private static final double MARGIN = 100;

  private final PortTable ports;
  private final Destinations destinations;

  PortSelection(PortTable ports, Destinations destinations) {
    this.ports = ports;
    this.destinations = destinations;
  }

  /** The index of the port, or {@link EndpointControl#UNGOVERNED} where all are idle. */
  int governing(int to) {
    int behind = destinations.portsOf(to);
    int lowest = EndpointControl.UNGOVERNED;
    for (int left = behind; left != 0; left &= left - 1) {
      int i = Integer.numberOfTrailingZeros(left);
      PortControl control = ports.get(i);
      if (!control.isIdle && (lowest < 0 || due(control) < due(ports.get(lowest)))) {
        lowest = i;
      }
    }
    int before = destinations.governorOf(to);
    if (lowest >= 0 && before >= 0 && before != lowest && (behind & 1 << before) != 0) {
      PortControl present = ports.get(before);
      boolean isHardlyLess = due(ports.get(lowest)) >= due(present) * (1 - 1 / MARGIN);
      if (!present.isIdle && (isHardlyLess || carrySame(before, lowest))) {
        lowest = before;
      }
    }
    if (lowest != before) {
      destinations.setGovernor(to, lowest);
    }
    return lowest;
  }

  /**
   * The port of the least share of all that carry the same as this one, at which what obeys it is
   * held: nothing changes its class for that, for its queue would drain beside the new one.
   */
  PortControl leastLike(int port) {
    PortControl control = ports.get(port);
    PortControl least = control;
    for (int i = 0; i < EndpointControl.MAX_PORTS && control.governedDestinations > 0; i++) {
      if (i != port && carrySame(port, i) && ports.get(i).due < least.due) {
        least = ports.get(i);
      }
    }
    return least;
  }

  private boolean carrySame(int one, int other) {
    return destinations.carrySame(one, other)
        && limitsByShare(ports.get(one))
        && limitsByShare(ports.get(other));
  }

  private static boolean limitsByShare(PortControl control) {
    return control != null && !control.isIdle && control.hasShare();
  }

  private static double due(PortControl control) {
    return control.pairPart * control.due;
  }
}
