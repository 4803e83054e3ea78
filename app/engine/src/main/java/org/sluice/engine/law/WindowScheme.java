// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/** Who gets which window at a congested port. */
public enum WindowScheme {
  /** Sluice's default: {@link EdfWindows}. */
  EDF,
  /** SED as printed: {@link SedLaw}. */
  SED
}
