// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;
import java.util.OptionalLong;

/** The answer to a tenant who requests a deadline. */
@AutoValue
public abstract class Admission {

  /** The deadline is promised. */
  public static Admission accepted() {
    return new AutoValue_Admission(true, OptionalLong.empty());
  }

  /**
   * The deadline cannot be met with what has been promised already.
   *
   * @param earliestNanos after how much time from now the flow can be through at the earliest, ns
   */
  public static Admission cannotBeMet(long earliestNanos) {
    return new AutoValue_Admission(false, OptionalLong.of(earliestNanos));
  }

  /** The deadline cannot be met, and none could: nothing is left at a port on its way. */
  public static Admission never() {
    return new AutoValue_Admission(false, OptionalLong.empty());
  }

  public abstract boolean isAccepted();

  /** If not accepted: the earliest deadline that would be, ns from now; empty if there is none. */
  public abstract OptionalLong earliestNanos();
}
