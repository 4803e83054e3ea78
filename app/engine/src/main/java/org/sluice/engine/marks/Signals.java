// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

/** Which sources of marks count. */
public enum Signals {
  /** Port agents, then hosts, then meters. */
  AUTO,
  /** Receiving hosts alone. */
  HOSTS,
  /** The switches' mark meters alone; senders are notified by notices. */
  METERS,
  /** Port agents alone; senders are notified by notices. */
  PORTS
}
