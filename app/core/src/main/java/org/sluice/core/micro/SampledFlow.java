// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.micro;

import com.google.auto.value.AutoValue;
import org.sluice.api.deadline.FlowKey;

/** What switches have seen of a flow. */
@AutoValue
public abstract class SampledFlow {

  /**
   * One that sends.
   *
   * @param flow exact, as its source sends it
   * @param sentBytes IP bytes since it began, as scaled up from samples
   */
  public static SampledFlow sends(FlowKey flow, long sentBytes) {
    return new AutoValue_SampledFlow(flow, sentBytes, false);
  }

  /** One that has ended; one that only pauses is forgotten after a second without this. */
  public static SampledFlow ended(FlowKey flow) {
    return new AutoValue_SampledFlow(flow, 0, true);
  }

  public abstract FlowKey flow();

  /** IP bytes; 0 where {@link #isEnded}. */
  public abstract long sentBytes();

  public abstract boolean isEnded();
}
