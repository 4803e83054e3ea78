// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;

/** Takes Micro-flow's decisions to switches. Called within {@link MicroFlowControl}'s methods. */
public interface CapSink {

  /**
   * The background queue of an upstream port for a downstream port is capped, or stays so; {@link
   * #restored} follows.
   *
   * @param cap holds during the call only
   */
  void cap(CapDraft cap);

  /** A background queue has no cap any longer. */
  void restored(PortId upstream, PortId downstream);

  /** A flow belongs into background queues from now on. */
  void background(FlowKey flow);

  /** A flow has ended, or has been idle: nothing is remembered of it any longer. */
  void forgotten(FlowKey flow);

  /**
   * Flows change their level of priority at other sizes from now on. The first level, 0, goes
   * first.
   *
   * @param thresholdsBytes by level: a flow that has sent more is beyond it; rising, one less than
   *     there are levels. Not to be changed
   * @param flows from the sizes of so many, older ones counting less
   */
  void levels(long[] thresholdsBytes, long flows);
}
