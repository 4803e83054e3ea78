// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * RSED (Lu, "SED: An SDN-Based Explicit-Deadline-Aware TCP for Cloud Data Center Networks", section
 * 4 and figure 7): what a queue drops is answered for, so that no sender waits for its
 * retransmission timer.
 *
 * <p>In print a switch sends every packet that it drops to the controller, which sends three
 * duplicate acknowledgements to the packet's source. Here ({@link WindowScheme#EDF}) a packet of
 * which a copy is kept is sent again by the port that dropped it, once its queue is below K or has
 * passed on all that stood there; for another the source gets three duplicate acknowledgements. One
 * or the other once per flow and round trip, until the flow's acknowledgements say that the packet
 * has arrived.
 *
 * <p>Under {@link WindowScheme#SED} sources with data beyond the hole in transit get the
 * acknowledgements first, and the packet follows if that has moved nothing. It costs half a
 * congestion window, it fails where the last packets of a window are lost, and with selective
 * acknowledgements it has to claim that something beyond the hole has arrived before that is known.
 *
 * <p>What a policer or a cap dropped is not to be reported here: it was dropped on purpose.
 */
public final class RsedLaw {
  /** Agents keep copies of packets so long, ns. */
  private static final long KEPT_NANOS = 1_000_000_000L;

  private RsedLaw() {}

  /** What is to be done for a flow now. */
  public enum Step {
    /** Nothing is left to do. */
    FORGET,
    /** Nothing yet. */
    WAIT,
    /** Three duplicate acknowledgements to its source. */
    ANSWER,
    /** Its port sends the copy of its lowest packet. */
    RESEND
  }

  /** A flow that has lost packets at a port, as far as is known. */
  public interface Losses {
    /** Whether its connection was known and has ended. */
    boolean isConnectionOver();

    /** Whether all that the flow had to send has arrived. */
    boolean hasArrived();

    /** Whether none of its packets is missing. */
    boolean isEmpty();

    /** Since it last lost one, ns. */
    long ageNanos(long nowNanos);

    /** Since something was last done for it, ns. */
    long sinceActedNanos(long nowNanos);

    /** Since something arrived, was lost or was done, ns. */
    long stalledNanos(long nowNanos);

    /** Whether copies of all packets that are missing are in transit. */
    boolean isAllSentAgain();

    /** For how long its lowest packet without a copy in transit has been missing, ns. */
    long waitedNanos(long nowNanos);

    /** From the beginning of that packet to the end of the highest lost one, bytes. */
    int spanBytes();

    /** Whether there is a packet of which no copy is kept. */
    boolean isAnyUnkept();

    /** Whether its source has got acknowledgements. */
    boolean isAnswered();

    /** The most that its source can have in transit by its windows and by what is left, bytes. */
    long inTransitBytes();

    /** Round trip with what stands in the port's queue, ns. */
    double roundTripNanos();

    /** Whether the port's queue is shorter than K. */
    boolean isQueueBelowThreshold();
  }

  /** What is to be done for a flow now. */
  public static Step next(Losses flow, DeadlineParameters parameters, long nowNanos) {
    if (flow.isConnectionOver()) {
      return Step.FORGET;
    }
    double roundTrip = flow.roundTripNanos();
    if (flow.sinceActedNanos(nowNanos) < roundTrip) {
      return Step.WAIT; // Whatever it loses meanwhile has to wait.
    }
    if (flow.isEmpty() || flow.ageNanos(nowNanos) >= KEPT_NANOS || flow.hasArrived()) {
      return Step.FORGET;
    }
    if (flow.isAllSentAgain()) {
      return Step.WAIT;
    }
    if (flow.isAnyUnkept() || isAnsweredFirst(flow, parameters)) {
      return Step.ANSWER;
    }
    boolean isToSend =
        mayHaveRoom(flow, roundTrip, nowNanos)
            && !isAnswerPending(flow, roundTrip, parameters, nowNanos);
    return isToSend ? Step.RESEND : Step.WAIT;
  }

  /**
   * Whether a packet that is sent again is likely to find space: the queue is below K, or all that
   * stood before the packet when it was dropped has gone. What is lost still counts in its flow's
   * window, so that its place is its own; and where T_win holds more than K in the queue, as one by
   * equation 3 as printed does, it is below K only when all is over, and timers have expired.
   */
  private static boolean mayHaveRoom(Losses flow, double roundTripNanos, long nowNanos) {
    return flow.isQueueBelowThreshold() || flow.waitedNanos(nowNanos) >= roundTripNanos;
  }

  /** Whether an answer has helped shows when a report of it could be here. */
  private static boolean isAnswerPending(
      Losses flow, double roundTripNanos, DeadlineParameters parameters, long nowNanos) {
    return flow.isAnswered()
        && flow.stalledNanos(nowNanos) < roundTripNanos + parameters.latencyNanos();
  }

  /**
   * As printed a source gets acknowledgements first, where they are of use: where it can have sent
   * more than lies between its lost packets. Its host knows for certain, and does nothing where
   * there is none.
   */
  private static boolean isAnsweredFirst(Losses flow, DeadlineParameters parameters) {
    return parameters.windows() == WindowScheme.SED
        && !flow.isAnswered()
        && flow.inTransitBytes() > flow.spanBytes();
  }
}
