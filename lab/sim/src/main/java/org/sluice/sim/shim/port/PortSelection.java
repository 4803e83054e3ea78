// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

/**
 * Which of the ports that a destination lies behind governs it: whose limit holds for it. That is
 * the lowest limit. Of limits that are about equal it is the one of the lowest reference, where the
 * controller says what that is: a destination must obey the port that is due to hold it, or it gets
 * what another one, which is due to give it more, happens to leave.
 */
final class PortSelection {
  /**
   * Another port governs a destination only once its limit is lower by one part in so many, so that
   * the destination does not alternate between two that are about equal: packets overtake each
   * other whenever it changes. Limits no farther apart than that are about equal.
   */
  private static final double MARGIN = 10;

  /** References that differ by less than one part in so many are not worth a change. */
  private static final double REFERENCE_MARGIN = 100;

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
    lowest = lowest < 0 ? lowest : leastReference(behind, lowest);
    if (lowest != before) {
      destinations.setGovernor(to, lowest);
    }
    return lowest;
  }

  /** Of the ports whose limits are about equal to one's, the one that is due to give the least. */
  private int leastReference(int behind, int lowest) {
    PortControl chosen = ports.get(lowest);
    if (!ports.isFresh(chosen)) {
      return lowest;
    }
    double most = chosen.level + chosen.level / MARGIN;
    double least = ports.referenceBitsPerSecond(chosen);
    least -= least / REFERENCE_MARGIN;
    int found = lowest;
    for (int left = behind & ~(1 << lowest); left != 0; left &= left - 1) {
      int i = Integer.numberOfTrailingZeros(left);
      PortControl control = ports.get(i);
      if (!control.isIdle && control.level <= most && ports.isFresh(control)) {
        double reference = ports.referenceBitsPerSecond(control);
        if (reference < least) {
          least = reference;
          found = i;
        }
      }
    }
    return found;
  }
}
