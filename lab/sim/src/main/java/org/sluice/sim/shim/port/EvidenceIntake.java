// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

/**
 * Adds what was sent to and reported of each destination to the intervals of its ports. Bytes count
 * for every port on the way. Marks do not show which port set them: they count for the one that
 * governs the destination, since at rest there are none, and any is a reason to send less.
 */
final class EvidenceIntake {
  private final PortTable ports;
  private final Destinations destinations;
  private final PortSelection selection;

  EvidenceIntake(PortTable ports, Destinations destinations, PortSelection selection) {
    this.ports = ports;
    this.destinations = destinations;
    this.selection = selection;
  }

  /** Adds bytes that left for a destination, controlled or not. */
  void sent(long nowNanos, int to, long bytes) {
    destinations.sent(nowNanos, to);
    int governing = selection.governing(to);
    for (int left = destinations.portsOf(to); left != 0; left &= left - 1) {
      int i = Integer.numberOfTrailingZeros(left);
      ports.get(i).interval.sentBytes += bytes;
      if (governing >= 0 && governing != i) {
        ports.get(i).sentElsewhere.add(governing, bytes);
      }
    }
  }

  /** Adds what a receiver reported. A mark activates the destination's ports if all are idle. */
  void reported(int to, long packets, long cePackets) {
    int governing = selection.governing(to);
    if (governing < 0 && cePackets > 0) {
      reactivateAll(to);
      governing = selection.governing(to);
    }
    if (governing >= 0) {
      ports.get(governing).interval.packets += packets;
      ports.get(governing).interval.cePackets += cePackets;
      return;
    }
    // No port limits it: what its idle ports show is only to be evaluated.
    for (int left = destinations.portsOf(to); left != 0; left &= left - 1) {
      ports.get(Integer.numberOfTrailingZeros(left)).interval.packets += packets;
    }
  }

  /** With the controller gone, ports' last shares are the best reference that there is. */
  private void reactivateAll(int to) {
    for (int left = destinations.portsOf(to); left != 0; left &= left - 1) {
      PortControl control = ports.get(Integer.numberOfTrailingZeros(left));
      if (control.share.unitShareBitsPerSecond() > 0) {
        ports.reactivate(control);
      }
    }
  }
}
