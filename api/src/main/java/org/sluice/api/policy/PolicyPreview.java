// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.policy;

import com.google.auto.value.AutoValue;
import java.util.List;

/** What a policy set does with the network as it is. */
@AutoValue
public abstract class PolicyPreview {

  public static PolicyPreview of(List<PolicyDecision> decisions, List<GroupHint> hints) {
    return new AutoValue_PolicyPreview(List.copyOf(decisions), List.copyOf(hints));
  }

  /** By policy, source and destination. */
  public abstract List<PolicyDecision> decisions();

  /** Those in force, by source and destination. */
  public abstract List<GroupHint> hints();
}
