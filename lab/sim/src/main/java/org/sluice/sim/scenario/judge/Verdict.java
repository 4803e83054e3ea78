// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.judge;

import java.util.Locale;

/** What is to be thought of a figure. */
public enum Verdict {
  PASS,
  FAIL,
  /** It lies elsewhere, and it is known why. */
  EXPLAINED;

  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
