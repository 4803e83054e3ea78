// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.packet;

/** What a packet carries. */
public final class Protocol {
  public static final byte TCP = 6;
  public static final byte UDP = 17;

  /** Sluice's messages between hosts: RFC 3692's first number for experiments. */
  public static final byte SLUICE = (byte) 253;

  private Protocol() {}
}
