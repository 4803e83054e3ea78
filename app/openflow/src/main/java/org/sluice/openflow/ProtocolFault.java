// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

/** A peer sent what no switch sends: its connection ends, and nothing else. */
final class ProtocolFault extends Exception {
  private static final long serialVersionUID = 1L;

  ProtocolFault(String message) {
    super(message);
  }
}
