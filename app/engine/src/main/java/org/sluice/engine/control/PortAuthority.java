// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.control;

import org.sluice.api.PortId;

/**
 * Which ports this controller node decides about: those of the switches whose master it is. Called
 * on the engine thread; answers are cached until the epoch changes.
 */
public interface PortAuthority {

  /** Grows whenever an answer may have changed. Read once per tick; must be cheap. */
  long epoch();

  boolean decidesAbout(PortId port);

  /**
   * Whether nobody is known to decide about a port about which this node does not: then what it has
   * published goes on to hold.
   */
  default boolean isVacant(PortId port) {
    return false;
  }

  /** The authority of the only node there is. */
  PortAuthority ALL =
      new PortAuthority() {
        @Override
        public long epoch() {
          return 0;
        }

        @Override
        public boolean decidesAbout(PortId port) {
          return true;
        }
      };
}
