// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import com.google.auto.value.AutoValue;

/** Something about the installation that an operator may want to put right, and how. */
@AutoValue
public abstract class Finding {

  /** How bad it is; the worst first. */
  public enum Severity {
    /** Something does not work, or a promise is not kept. */
    ERROR,
    /** It works less well than it could, or will not survive a fault. */
    WARNING,
    /** Nothing is wrong, but it may not be what was meant. */
    NOTE
  }

  /**
   * A finding.
   *
   * @param about the switch, port, host, tenant or component that it is about
   * @param what what was found, with figures and units
   * @param remedy what to do about it: the command to run where there is one
   */
  public static Finding of(Severity severity, String about, String what, String remedy) {
    return new AutoValue_Finding(severity, about, what, remedy);
  }

  public abstract Severity severity();

  /** The switch, port, host, tenant or component that it is about. */
  public abstract String about();

  /** What was found, with figures and units. */
  public abstract String what();

  /** What to do about it: the command to run where there is one. */
  public abstract String remedy();
}
