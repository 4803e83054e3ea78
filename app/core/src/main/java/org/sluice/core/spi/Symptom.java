// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import com.google.auto.value.AutoValue;

/** Something about a switch that is normal for seconds, and wrong if it stays. */
@AutoValue
public abstract class Symptom {

  /** What it is. */
  public enum Kind {
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
    SLOW_COUNTERS,
    /** A capacity is configured for a port that it does not have. */
    NO_SUCH_PORT
  }

  public static Symptom of(Kind kind, String datapath) {
    return of(kind, datapath, "");
  }

  /**
   * A symptom.
   *
   * @param detail distinguishes several of a kind
   */
  public static Symptom of(Kind kind, String datapath, String detail) {
    return new AutoValue_Symptom(kind, datapath, detail);
  }

  public abstract Kind kind();

  public abstract String datapath();

  public abstract String detail();
}
