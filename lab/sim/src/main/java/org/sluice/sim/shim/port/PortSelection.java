// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

/** Which of the ports that a destination lies behind governs it: whose limit holds for it. */
final class PortSelection {
  /**
   * Another port governs a destination only once its limit is lower by one part in so many, so that
   * the destination does not alternate between two that are about equal: packets overtake each
   * other whenever it changes.
   */
  private static final double MARGIN = 10;

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
      if (!control.isIdle && (lowest < 0 || control.level < ports.get(lowest).level)) {
        lowest = i;
      }
    }
    int before = destinations.governorOf(to);
    if (lowest >= 0 && before >= 0 && before != lowest && (behind & 1 << before) != 0) {
      PortControl present = ports.get(before);
      if (!present.isIdle && ports.get(lowest).level >= present.level - present.level / MARGIN) {
        lowest = before;
      }
    }
    if (lowest != before) {
      destinations.setGovernor(to, lowest);
    }
    return lowest;
  }
}
