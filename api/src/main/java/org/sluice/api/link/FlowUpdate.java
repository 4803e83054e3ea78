// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.link;

import com.google.auto.value.AutoValue;
import java.util.OptionalLong;
import org.sluice.api.deadline.FlowKey;

/** The state of a TCP flow as the host of its source observes it. */
@AutoValue
public abstract class FlowUpdate {

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
   * A flow's state and progress.
   *
   * @param flow exact, in the direction of its data
   * @param deliveredBytes at least 0
   * @param roundTripNanos 0: unknown
   */
  public static FlowUpdate of(
      FlowKey flow, State state, long deliveredBytes, long roundTripNanos, boolean scaleUnknown) {
    return new AutoValue_FlowUpdate.Builder()
        .flow(flow)
        .state(state)
        .deliveredBytes(deliveredBytes)
        .progressAgeNanos(0)
        .roundTripNanos(roundTripNanos)
        .scaleUnknown(scaleUnknown)
        .build();
  }

  /**
   * The same with its peer's acknowledgements.
   *
   * @param sequence all below it has arrived, 0 to 2^32 - 1
   */
  public FlowUpdate acknowledgedTo(long sequence) {
    return toBuilder().acknowledgedSequence(sequence).build();
  }

  /**
   * The same with the time of the latest progress.
   *
   * @param ageNanos at least 0
   */
  public FlowUpdate progressedBefore(long ageNanos) {
    return toBuilder().progressAgeNanos(ageNanos).build();
  }

  /** The same in another state. */
  public FlowUpdate in(State state) {
    return toBuilder().state(state).build();
  }

  public abstract FlowKey flow();

  public abstract State state();

  /** Payload that the peer has acknowledged since the beginning. */
  public abstract long deliveredBytes();

  /** Age of the latest growth of that when it was reported, ns; 0 if just then, or unknown. */
  public abstract long progressAgeNanos();

  /** Latest round trip, ns; 0 if unknown. */
  public abstract long roundTripNanos();

  /** Its handshake was not seen: window grants have no effect on it. */
  public abstract boolean scaleUnknown();

  /** TCP's sequence number below which all has arrived, 0 to 2^32 - 1; empty if unknown. */
  public abstract OptionalLong acknowledgedSequence();

  abstract Builder toBuilder();

  /** Makes one. */
  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder flow(FlowKey value);

    abstract Builder state(State value);

    abstract Builder deliveredBytes(long value);

    abstract Builder progressAgeNanos(long value);

    abstract Builder roundTripNanos(long value);

    abstract Builder scaleUnknown(boolean value);

    abstract Builder acknowledgedSequence(long value);

    abstract FlowUpdate build();
  }
}
