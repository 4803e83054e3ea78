// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.marks;

/** With what probability a port marks, estimated from packets that it alone limits. */
public final class MarkProbability {
  /** Over how many steps it is averaged, and how long it is valid without reports. */
  private static final int STEPS = 16;

  /** Above this next to nothing is left unmarked to divide other ports' marks by. */
  private static final double MAX = 0.9;

  private double marks;

  /** Steps since the last reports; 0: there were none yet. */
  private int age;

  public boolean isValid() {
    return age > 0 && age <= STEPS;
  }

  /** The part of packets that the port leaves unmarked. */
  public double unmarkedPart() {
    return unmarkedPart(marks);
  }

  /** What a port that marks such a part of packets leaves unmarked, as far as that is of use. */
  public static double unmarkedPart(double marks) {
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
