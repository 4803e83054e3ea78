// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.SplittableRandom;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Network;

/** Flows that arrive independently of each other, at a mean rate. */
public final class PoissonArrivals {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BITS = 8;

  private final Scheduler scheduler;
  private final FlowLauncher launcher;
  private final EndpointPairs pairs;
  private final SizeDistribution sizes;
  private final SplittableRandom random;
  private final double flowsPerSecond;
  private final Event arrival = new Arrival();
  private final Event stopping = new Stopping();

  /**
   * @param name names the stream of random numbers
   * @param flowsPerSecond above 0
   */
  public PoissonArrivals(
      Network network,
      String name,
      FlowLauncher launcher,
      EndpointPairs pairs,
      SizeDistribution sizes,
      double flowsPerSecond) {
    if (!(flowsPerSecond > 0)) {
      throw new IllegalArgumentException("flowsPerSecond must be above 0, not " + flowsPerSecond);
    }
    this.scheduler = network.scheduler();
    this.launcher = launcher;
    this.pairs = pairs;
    this.sizes = sizes;
    this.random = network.random().stream("arrivals " + name);
    this.flowsPerSecond = flowsPerSecond;
  }

  /**
   * The flows per second whose payload makes a load.
   *
   * @param bitsPerSecond of all payload together
   */
  public static double rateForLoad(double bitsPerSecond, SizeDistribution sizes) {
    return bitsPerSecond / BITS / sizes.meanBytes();
  }

  /** The first flow arrives a random interval after that time. */
  public void start(long atNanos) {
    scheduler.arm(arrival, atNanos + intervalNanos());
  }

  /** No flow arrives from that time on. */
  public void stop(long atNanos) {
    scheduler.arm(stopping, atNanos);
  }

  private long intervalNanos() {
    return Math.round(-StrictMath.log(1 - random.nextDouble()) / flowsPerSecond * NANOS_PER_SECOND);
  }

  private final class Arrival extends Event {
    @Override
    protected void fire() {
      scheduler.armIn(this, intervalNanos());
      Endpoint source = pairs.source(random);
      launcher.launch(source, pairs.destination(source, random), sizes.next(random));
    }
  }

  private final class Stopping extends Event {
    @Override
    protected void fire() {
      scheduler.disarm(arrival);
    }
  }
}
