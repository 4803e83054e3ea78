// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.doctor;

import com.google.auto.value.AutoValue;

/** Something about a switch that is normal for seconds, and wrong if it stays. */
@AutoValue
abstract class Trouble {

  /** What it is. */
  enum Kind {
    /** It has confirmed none of its rules. */
    NO_RULES,
    /** It has confirmed rules of its first table and none of its second. */
    NO_SECOND_TABLE,
    /** It has links to other switches and not one meter. */
    NO_METERS,
    /** It has meters and no rule that matches marked packets. */
    NO_ECN,
    /** A rule is not confirmed. */
    RULE_PENDING,
    /** A meter is not confirmed. */
    METER_PENDING,
    /** It has no connection for fast counters. */
    SLOW_COUNTERS
  }

  static Trouble of(Kind kind, String datapath) {
    return of(kind, datapath, "");
  }

  /**
   * A trouble.
   *
   * @param detail tells several of a kind apart
   */
  static Trouble of(Kind kind, String datapath, String detail) {
    return new AutoValue_Trouble(kind, datapath, detail);
  }

  abstract Kind kind();

  abstract String datapath();

  abstract String detail();
}
