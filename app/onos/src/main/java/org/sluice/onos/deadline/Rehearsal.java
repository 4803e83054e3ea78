// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.deadline;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.api.SluiceException;

/**
 * Plays something once, aside: a virtual machine takes ten to a hundred times as long for code that
 * it runs for the first time, and a first deadline, or the first after a takeover, cannot wait for
 * that. It takes no core from what runs: short bursts with pauses between them, and an end when it
 * has taken long enough. Should it fail, nothing is lost but time.
 */
final class Rehearsal {
  private static final Logger log = LoggerFactory.getLogger(Rehearsal.class);

  /** A control period is 5 ms: what has to run then waits for less than that. */
  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final long PAUSE_MILLIS = 8;
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long STOP_MILLIS = 2000;

  private final Supplier<Play> play;
  private final Thread thread;
  private volatile boolean running = true;

  /** Something to be played, step by step. */
  interface Play {
    /**
     * A step, far shorter than a burst once it has run some times.
     *
     * @return whether there are more
     */
    boolean step() throws SluiceException;
  }

  /**
   * One that has not begun.
   *
   * @param play is asked once, in the background
   */
  Rehearsal(Supplier<Play> play) {
    this.play = play;
    thread = new Thread(this::run, "sluice-rehearsal");
    thread.setDaemon(true);
    thread.setPriority(Thread.MIN_PRIORITY);
  }

  /** Returns at once. */
  void start() {
    thread.start();
  }

  /** Ends it, wherever it is. */
  void stop() throws InterruptedException {
    running = false;
    thread.interrupt();
    thread.join(STOP_MILLIS);
  }

  /** Whether it goes on. */
  boolean isRunning() {
    return thread.isAlive();
  }

  private void run() {
    try {
      play(play.get());
    } catch (InterruptedException e) {
      // It is to stop.
    } catch (SluiceException | RuntimeException | LinkageError e) {
      log.warn("The first flows with deadlines may be late: their rehearsal failed", e);
    }
  }

  private void play(Play scenes) throws SluiceException, InterruptedException {
    long taken = 0;
    boolean more = true;
    while (more && running && taken < MOST_NANOS) {
      long begin = System.nanoTime();
      long burst = 0;
      while (more && running && burst < BURST_NANOS) {
        more = scenes.step();
        burst = System.nanoTime() - begin;
      }
      taken += burst;
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    log.info("Flows with deadlines are rehearsed: {} ms", TimeUnit.NANOSECONDS.toMillis(taken));
  }
}
