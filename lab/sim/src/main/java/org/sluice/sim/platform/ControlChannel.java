// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;

/**
 * One direction between the controller and one host, as TCP carries it: late, in order, and what is
 * lost on the way is sent again after a timeout while all that follows waits.
 */
public final class ControlChannel {
  /** Linux's least retransmission timeout, ns. */
  private static final long RETRANSMISSION_NANOS = 200_000_000L;

  /** Its longest, ns. */
  private static final long LONGEST_RETRANSMISSION_NANOS = 120_000_000_000L;

  /** After so long without an answer it gives a connection up (tcp_retries2 = 15), ns. */
  private static final long GIVEN_UP_NANOS = 924_600_000_000L;

  private final Scheduler scheduler;
  private final SplittableRandom random;
  private final ChannelParameters parameters;
  private final List<Outage> outages;
  private final Deque<Runnable> inTransit = new ArrayDeque<>();
  private final Deque<Long> arrivals = new ArrayDeque<>();
  private final Event arrival = new Arrival();
  private long lastLeavesNanos = Long.MIN_VALUE;
  private long lastArrivalNanos = Long.MIN_VALUE;
  private long sent;
  private long lost;

  /**
   * @param outages in which nothing gets through; there may be more later
   */
  ControlChannel(
      Scheduler scheduler,
      SplittableRandom random,
      ChannelParameters parameters,
      List<Outage> outages) {
    this.scheduler = scheduler;
    this.random = random;
    this.parameters = parameters;
    this.outages = outages;
  }

  /**
   * Sends a message.
   *
   * @param delivery what its arrival does
   */
  public void send(Runnable delivery) {
    sent++;
    long jitter = parameters.jitterNanos() > 0 ? random.nextLong(parameters.jitterNanos() + 1) : 0;
    // What is sent in an outage leaves with what waits to be sent again.
    boolean waits = isOut(scheduler.now()) && lastLeavesNanos > scheduler.now();
    long leaves = waits ? lastLeavesNanos : scheduler.now();
    long timeout = RETRANSMISSION_NANOS;
    while (isOut(leaves) || (parameters.loss() > 0 && random.nextDouble() < parameters.loss())) {
      lost++;
      leaves += timeout;
      timeout = Math.min(2 * timeout, LONGEST_RETRANSMISSION_NANOS);
      if (leaves > scheduler.now() + GIVEN_UP_NANOS) {
        return;
      }
    }
    lastLeavesNanos = leaves;
    long at = leaves + parameters.delayNanos() + jitter;
    lastArrivalNanos = Math.max(at, lastArrivalNanos);
    inTransit.add(delivery);
    arrivals.add(lastArrivalNanos);
    if (!arrival.isArmed()) {
      scheduler.arm(arrival, lastArrivalNanos);
    }
  }

  /** Its connection is closed: what is in transit is lost, and nothing waits for it. */
  void reset() {
    inTransit.clear();
    arrivals.clear();
    scheduler.disarm(arrival);
    lastLeavesNanos = 0;
    lastArrivalNanos = 0;
  }

  private boolean isOut(long nanos) {
    for (int i = 0; i < outages.size(); i++) {
      if (outages.get(i).covers(nanos)) {
        return true;
      }
    }
    return false;
  }

  public long sent() {
    return sent;
  }

  public long lost() {
    return lost;
  }

  private final class Arrival extends Event {
    @Override
    protected void fire() {
      arrivals.remove();
      Runnable delivery = inTransit.remove();
      if (!arrivals.isEmpty()) {
        scheduler.arm(this, arrivals.peek());
      }
      delivery.run();
    }
  }
}
