// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.counters;

/** Where the numbers of a switch's ports come from. */
public enum CounterSource {
  /** From the switch over Sluice's own connection, in milliseconds. */
  FAST,
  /** From the controller's own polling, in seconds: the switch has no connection to Sluice. */
  SLOW,
  /** From nowhere on this node: another one is the switch's master, or it is away. */
  NONE
}
