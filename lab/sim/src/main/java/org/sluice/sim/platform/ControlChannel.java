// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.ArrayDeque;
import java.util.Deque;
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

  private final Scheduler scheduler;
  private final SplittableRandom random;
  private final ChannelParameters parameters;
  private final Deque<Runnable> inTransit = new ArrayDeque<>();
  private final Deque<Long> arrivals = new ArrayDeque<>();
  private final Event arrival = new Arrival();
  private long lastArrivalNanos;
  private long sent;
  private long lost;

  ControlChannel(Scheduler scheduler, SplittableRandom random, ChannelParameters parameters) {
    this.scheduler = scheduler;
    this.random = random;
    this.parameters = parameters;
  }

  /**
   * Sends a message.
   *
   * @param delivery what its arrival does
   */
  public void send(Runnable delivery) {
    sent++;
    long jitter = parameters.jitterNanos() > 0 ? random.nextLong(parameters.jitterNanos() + 1) : 0;
    long at = scheduler.now() + parameters.delayNanos() + jitter;
    long timeout = RETRANSMISSION_NANOS;
    while (parameters.loss() > 0 && random.nextDouble() < parameters.loss()) {
      lost++;
      at += timeout;
      timeout *= 2;
    }
    lastArrivalNanos = Math.max(at, lastArrivalNanos);
    inTransit.add(delivery);
    arrivals.add(lastArrivalNanos);
    if (!arrival.isArmed()) {
      scheduler.arm(arrival, lastArrivalNanos);
    }
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
