// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Numbers that grow with time, whatever is done to the wall clock: the time since 1970 at which
 * this process began, and how long it has lasted since. Agents refuse a decision whose number is
 * lower than an earlier one's, for as long as its node's lease is renewed: after a step back they
 * would refuse all. A process that begins anew takes longer than a lease to do so.
 */
public final class SteadyClock {
  private static final SteadyClock PROCESS = of(ManagementFactory.getRuntimeMXBean());

  private final long beganMillis;
  private final LongSupplier lastedMillis;

  SteadyClock(long beganMillis, LongSupplier lastedMillis) {
    this.beganMillis = beganMillis;
    this.lastedMillis = lastedMillis;
  }

  private static SteadyClock of(RuntimeMXBean process) {
    return new SteadyClock(process.getStartTime(), process::getUptime);
  }

  /** Of this process, ms since 1970 by the wall clock at its start. */
  public static long millis() {
    return PROCESS.now();
  }

  /** The same in microseconds, exact to a millisecond. */
  static long micros() {
    return TimeUnit.MILLISECONDS.toMicros(millis());
  }

  long now() {
    return beganMillis + lastedMillis.getAsLong();
  }
}
