// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

/** Has a command fail whose output says why. */
final class FoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FoundException() {
    super("There are findings", null, false, false);
  }
}
