// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

/**
 * Finds losses and decides what follows: RFC 6675 with SACK, RFC 6582 (NewReno) without. Knows
 * neither timers nor packets.
 */
final class LossRecovery {
  private static final int DUPLICATE_THRESHOLD = Scoreboard.DUPLICATE_THRESHOLD;

  private enum Phase {
    OPEN,
    RECOVERY,
    AFTER_TIMEOUT
  }

  private final Scoreboard board;
  private final CongestionControl control;
  private final boolean sack;
  private final int mssBytes;

  private Phase phase;
  private int duplicates;

  /** RecoveryPoint, "recover": recovery ends, and another may begin, when all below has arrived. */
  private long recoverySequence;

  private long inflationBytes;
  private boolean firstPartial;
  private boolean resendNow;

  LossRecovery(Scoreboard board, CongestionControl control, TcpParameters parameters) {
    this.board = board;
    this.control = control;
    this.sack = parameters.sack();
    this.mssBytes = parameters.mssBytes();
    reset();
  }

  void reset() {
    phase = Phase.OPEN;
    duplicates = 0;
    recoverySequence = 0;
    inflationBytes = 0;
    resendNow = false;
  }

  boolean inRecovery() {
    return phase == Phase.RECOVERY;
  }

  boolean afterTimeout() {
    return phase == Phase.AFTER_TIMEOUT;
  }

  /** What may be in flight beyond the window: duplicates show that so much has left the network. */
  long inflationBytes() {
    return inflationBytes;
  }

  /** Whether the first lost segment goes out at once, whatever the window is; true once. */
  boolean takeResendNow() {
    boolean taken = resendNow;
    resendNow = false;
    return taken;
  }

  /**
   * Takes an acknowledgement.
   *
   * @param acknowledgedBytes by how much it moved
   * @param duplicate it did not move, but something arrived out of order
   * @return whether a recovery has begun
   */
  boolean acknowledged(long acknowledgedBytes, boolean duplicate, long nowNanos) {
    if (acknowledgedBytes > 0 && phase != Phase.OPEN && passed(recoverySequence)) {
      end(nowNanos);
    }
    switch (phase) {
      case OPEN:
        return open(acknowledgedBytes, duplicate, nowNanos);
      case RECOVERY:
        recovering(acknowledgedBytes, duplicate);
        return false;
      default:
        return false;
    }
  }

  private boolean passed(long sequence) {
    return board.firstSequence() >= sequence;
  }

  private boolean open(long acknowledgedBytes, boolean duplicate, long nowNanos) {
    if (acknowledgedBytes > 0) {
      duplicates = 0;
      inflationBytes = 0;
    } else if (duplicate) {
      duplicates++;
    }
    if (sack) {
      board.markLost();
      if (duplicates >= DUPLICATE_THRESHOLD || board.isFirstLost()) {
        begin(nowNanos);
        return true;
      }
      return false;
    }
    if (duplicate && duplicates < DUPLICATE_THRESHOLD) {
      // RFC 3042, limited transmit.
      inflationBytes = (long) duplicates * mssBytes;
    } else if (duplicate && duplicates == DUPLICATE_THRESHOLD && mayBeginAgain()) {
      begin(nowNanos);
      inflationBytes = (long) DUPLICATE_THRESHOLD * mssBytes;
      return true;
    }
    return false;
  }

  /** RFC 6582, section 3.2, step 2: not for what a recovery or timeout sent twice. */
  private boolean mayBeginAgain() {
    return recoverySequence == 0 || board.firstSequence() > recoverySequence;
  }

  private void begin(long nowNanos) {
    phase = Phase.RECOVERY;
    recoverySequence = board.nextSequence();
    firstPartial = true;
    inflationBytes = 0;
    control.lossDetected(flightBytes(), nowNanos);
    board.markFirstLost();
    resendNow = true;
  }

  private void recovering(long acknowledgedBytes, boolean duplicate) {
    if (sack) {
      board.markLost();
    } else if (acknowledgedBytes > 0) {
      // RFC 6582, section 3.2, step 3: a partial acknowledgement.
      inflationBytes = Math.max(0, inflationBytes - acknowledgedBytes);
      if (acknowledgedBytes >= mssBytes) {
        inflationBytes += mssBytes;
      }
      board.markFirstLost();
      resendNow = true;
    } else if (duplicate) {
      inflationBytes += mssBytes;
    }
  }

  private void end(long nowNanos) {
    boolean wasRecovery = phase == Phase.RECOVERY;
    phase = Phase.OPEN;
    duplicates = 0;
    inflationBytes = 0;
    resendNow = false;
    if (wasRecovery) {
      control.recovered(nowNanos);
    }
  }

  /**
   * Whether an acknowledgement that moved restarts the timer: all do, but without SACK only the
   * first partial one of a recovery (RFC 6582, section 3.2, step 3).
   */
  boolean restartsTimer() {
    if (sack || phase != Phase.RECOVERY) {
      return true;
    }
    boolean was = firstPartial;
    firstPartial = false;
    return was;
  }

  /** The retransmission timer has expired: RFC 5681, section 3.1; RFC 6675, section 5.1. */
  void timedOut(boolean again, long nowNanos) {
    control.timedOut(flightBytes(), again, nowNanos);
    phase = Phase.AFTER_TIMEOUT;
    recoverySequence = board.nextSequence();
    duplicates = 0;
    inflationBytes = 0;
    board.markAllLost();
    resendNow = true;
  }

  /** FlightSize without what limited transmit has added to it (RFC 5681, section 3.2). */
  double flightBytes() {
    return Math.min(board.outstandingBytes(), control.windowBytes());
  }
}
