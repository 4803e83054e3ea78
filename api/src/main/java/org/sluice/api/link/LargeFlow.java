// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.deadline.FlowKey;

/** A flow that has gone to the last level: what it has sent. */
@AutoValue
public abstract class LargeFlow {

  /**
   * A flow.
   *
   * @param flow exact
   * @param sentBytes IP bytes since it began
   * @param ended whether FIN or RST was seen, or no packet for long
   */
  public static LargeFlow of(FlowKey flow, long sentBytes, boolean ended) {
    return new AutoValue_LargeFlow(flow, sentBytes, ended);
  }

  public abstract FlowKey flow();

  /** IP bytes since it began. */
  public abstract long sentBytes();

  public abstract boolean ended();
}
