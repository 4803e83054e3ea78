// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import org.sluice.api.deadline.FlowKey;

/** What the host of a TCP flow's source knows of it. */
@AutoValue
public abstract class FlowNews {

  /** How far a connection has come. */
  public enum State {
    /** A SYN or SYN-ACK of its source was seen. */
    OPENED,
    /** Data may go. */
    ESTABLISHED,
    /** FIN or RST was seen, or nothing for long. */
    CLOSED
  }

  /**
   * News of a flow.
   *
   * @param flow exact, in the direction of its data
   * @param deliveredBytes at least 0
   * @param roundTripNanos 0: unknown
   */
  public static FlowNews of(
      FlowKey flow, State state, long deliveredBytes, long roundTripNanos, boolean scaleUnknown) {
    return new AutoValue_FlowNews(flow, state, deliveredBytes, roundTripNanos, scaleUnknown);
  }

  public abstract FlowKey flow();

  public abstract State state();

  /** Payload that the peer has acknowledged since the beginning. */
  public abstract long deliveredBytes();

  /** Latest round trip, ns; 0 if unknown. */
  public abstract long roundTripNanos();

  /** Its handshake was not seen: window grants have no effect on it. */
  public abstract boolean scaleUnknown();
}
