// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

/** With what probability a port marks, as those that obey it alone show. */
public final class KnownMarks {
  /** Over how many steps it is learnt, and how long it holds. */
  private static final int STEPS = 16;

  /** Above this next to nothing is left to tell other marks by. */
  private static final double MAX = 0.9;

  private double marks;

  /** Steps since it was shown; 0: never. */
  private int age;

  public boolean isValid() {
    return age > 0 && age <= STEPS;
  }

  /** The part of packets that the port leaves unmarked. */
  public double unmarkedPart() {
    return 1 - Math.min(marks, MAX);
  }

  /** Takes an interval's reports. */
  public void observe(long packets, long cePackets) {
    if (packets > 0) {
      double part = Math.min((double) cePackets / (double) packets, 1);
      marks = isValid() ? marks + (part - marks) / STEPS : part;
      age = 1;
    } else if (age > 0) {
      age++;
    }
  }
}
