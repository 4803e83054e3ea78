// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.packet;

/** The two bits of RFC 3168, section 5. */
public final class Ecn {
  public static final byte NOT_ECT = 0;
  public static final byte ECT_1 = 1;
  public static final byte ECT_0 = 2;
  public static final byte CE = 3;

  private Ecn() {}
}
