// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.deadline.FlowKey;

/** Three duplicate acknowledgements are due to a flow's source, whose packet was lost. */
@AutoValue
public abstract class LossAnswer {

  /**
   * An answer.
   *
   * @param flow exact, in the direction of the lost packet
   * @param sequence of the first lost byte, 0 to 2^32 - 1
   * @param payloadBytes from there to the end of the last one that was lost, above 0
   */
  public static LossAnswer of(FlowKey flow, long sequence, int payloadBytes) {
    return new AutoValue_LossAnswer(flow, sequence, payloadBytes);
  }

  public abstract FlowKey flow();

  /** TCP's sequence number of the first lost byte, 0 to 2^32 - 1. */
  public abstract long sequence();

  public abstract int payloadBytes();
}
