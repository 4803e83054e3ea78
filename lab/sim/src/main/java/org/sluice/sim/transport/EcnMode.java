// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/** How a connection uses ECN. */
public enum EcnMode {
  /** Data is Not-ECT. */
  OFF,

  /** RFC 3168: the receiver echoes CE until the sender reports that it has reduced its window. */
  CLASSIC,

  /** RFC 8257: the receiver echoes CE packet by packet, so that the sender has the share. */
  DCTCP
}
