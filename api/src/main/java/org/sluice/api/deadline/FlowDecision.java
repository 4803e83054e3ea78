// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;
import java.util.Optional;

/** The decision about a request for a deadline. */
@AutoValue
public abstract class FlowDecision {

  /** It is registered as requested. */
  public static FlowDecision registered(FlowStatus flow, Admission admission) {
    return new AutoValue_FlowDecision(Optional.of(flow), admission);
  }

  /** Nothing has changed, for the deadline cannot be met and was not forced. */
  public static FlowDecision cannotBeMet(Admission admission) {
    return new AutoValue_FlowDecision(Optional.empty(), admission);
  }

  /** The registration; empty if the deadline cannot be met and was not forced. */
  public abstract Optional<FlowStatus> flow();

  /** Whether the deadline is promised, and if not, by when it could be met. */
  public abstract Admission admission();
}
