// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import org.sluice.core.runtime.Clock;
import org.sluice.core.runtime.Execution;
import org.sluice.core.virtual.VirtualExecution;

/**
 * A controller's execution on the simulation's events. Its loops begin in a phase of their own:
 * nothing ties control periods to the moment at which a simulation begins.
 */
final class SimulatedExecution implements Execution {
  private final SimulatedTime time;
  private final VirtualExecution execution;
  private final long phaseNanos;

  SimulatedExecution(SimulatedTime time, long phaseNanos) {
    this.time = time;
    this.execution = new VirtualExecution(time, time);
    this.phaseNanos = phaseNanos;
  }

  @Override
  public Clock clock() {
    return time;
  }

  @Override
  public ScheduledExecutorService sequential(String name) {
    return execution.sequential(name);
  }

  @Override
  public ExecutorService parallel(String name, int threads) {
    return execution.parallel(name, threads);
  }

  @Override
  public Loop loop(String name, Cycle cycle) {
    long from = time.nowNanos() + phaseNanos;
    return execution.loop(name, now -> now < from ? from : cycle.run(now));
  }

  @Override
  public <T> T await(Future<T> result, long timeoutNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    return execution.await(result, timeoutNanos);
  }
}
