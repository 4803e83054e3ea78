// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.deadline;

import com.google.auto.value.AutoValue;

/** A request to register a flow with a deadline: so much of it is to have arrived by then. */
@AutoValue
public abstract class DeadlineRequest {

  /**
   * A request for a flow whose connection begins at once, not checked yet.
   *
   * @param sizeBytes of payload, from the connection's first byte on
   * @param dueInNanos after how much time, from now
   * @param force register it also if the deadline cannot be met
   */
  public static DeadlineRequest of(FlowKey flow, long sizeBytes, long dueInNanos, boolean force) {
    return new AutoValue_DeadlineRequest(flow, sizeBytes, dueInNanos, 0, force);
  }

  /** The same for a connection that begins after so much time, from now. */
  public DeadlineRequest beginningIn(long nanos) {
    return new AutoValue_DeadlineRequest(flow(), sizeBytes(), dueInNanos(), nanos, force());
  }

  /** In the direction of its data; with a port of 0 the next connection that fits. */
  public abstract FlowKey flow();

  public abstract long sizeBytes();

  public abstract long dueInNanos();

  /** Until its connection begins; what is reckoned with begins no sooner. */
  public abstract long beginsInNanos();

  public abstract boolean force();
}
