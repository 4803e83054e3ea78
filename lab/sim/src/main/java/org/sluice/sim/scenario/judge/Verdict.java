// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.judge;

import java.util.Locale;

/** What is to be thought of a figure. */
public enum Verdict {
  PASS,
  FAIL,
  /** It lies elsewhere, and it is known why. */
  EXPLAINED,
  /** The paper's number does not come out, and ours lies where it has always lain. */
  NOT_REPRODUCED;

  /** In words. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
