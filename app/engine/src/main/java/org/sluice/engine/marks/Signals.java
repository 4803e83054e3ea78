// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.marks;

/** Whose marks are believed. */
public enum Signals {
  /** Port agents, then hosts, then meters. */
  AUTO,
  /** Receiving hosts alone. */
  HOSTS,
  /** The switches' mark meters alone; sources hear by notices. */
  METERS,
  /** Port agents alone; sources hear by notices. */
  PORTS
}
