// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;

/** What a host made of a hint. */
@AutoValue
public abstract class AppliedHint {

  /**
   * What is in force.
   *
   * @param routes how many routes have it, at least 0
   * @param controlGroups connections of how many control groups have it, at least 0
   */
  public static AppliedHint of(TcpHint hint, int routes, int controlGroups) {
    return new AutoValue_AppliedHint(hint, routes, controlGroups);
  }

  /** As the host's kernel has it; what it did not take is the host's own. */
  public abstract TcpHint hint();

  /** How many routes have it. */
  public abstract int routes();

  /** Connections of how many control groups have it. */
  public abstract int controlGroups();
}
