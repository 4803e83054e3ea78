// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import org.sluice.sim.shim.marks.MarkProbability;

/**
 * Adds what was sent to and reported of each destination to the intervals of its ports. Bytes count
 * for every port on the path. Marks do not show which port set them, so they count for the one that
 * governs the destination, less the part that other ports are likely to have set ({@code
 * docs/two-time-scale-law.md}, "Several ports").
 */
final class EvidenceIntake {
  /**
   * Ports whose limits are no more than one part in so many above the governing one's are taken to
   * mark as much as that one does.
   */
  private static final double TIE_MARGIN = 4;

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
  void reported(int to, long packets, long cePackets, long bytes) {
    int governing = selection.governing(to);
    if (governing < 0 && cePackets > 0) {
      reactivateAll(to);
      governing = selection.governing(to);
    }
    int behind = destinations.portsOf(to);
    for (int left = behind; left != 0; left &= left - 1) {
      PortControl control = ports.get(Integer.numberOfTrailingZeros(left));
      control.interval.deliveredBytes += bytes;
      if (governing < 0) {
        // No port limits it: what its idle ports show is only to be evaluated.
        control.interval.packets += packets;
      }
    }
    if (governing < 0) {
      return;
    }
    if ((behind & behind - 1) != 0) {
      divide(behind, governing, packets, cePackets);
    } else {
      ports.get(governing).interval.packets += packets;
      ports.get(governing).interval.cePackets += cePackets;
    }
  }

  /**
   * Adds reports of a destination behind several ports. A port that marks with probability f leaves
   * 1 - f of what crosses it unmarked, so where f is known, from destinations that this port
   * governs, or from the controller, it is divided out.
   */
  private void divide(int behind, int governing, long packets, long cePackets) {
    PortControl control = ports.get(governing);
    double unmarked = 1;
    int equalPorts = 1;
    for (int left = behind & ~(1 << governing); left != 0; left &= left - 1) {
      PortControl other = ports.get(Integer.numberOfTrailingZeros(left));
      if (other.isIdle) {
        continue;
      }
      if (other.markProbability.isValid()) {
        unmarked *= other.markProbability.unmarkedPart();
      } else if (other.share.markedPart() > 0 && ports.isRefreshed(other)) {
        unmarked *= MarkProbability.unmarkedPart(other.share.markedPart());
      } else if (other.level <= control.level + control.level / TIE_MARGIN) {
        equalPorts++;
      }
    }
    double published = ports.isRefreshed(control) ? control.share.markedPart() : 0;
    control.markDivision.add(
        packets, Math.min(cePackets, packets), unmarked, equalPorts, published);
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
