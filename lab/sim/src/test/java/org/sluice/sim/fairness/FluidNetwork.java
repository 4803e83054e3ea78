// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.fairness;

import org.sluice.sim.network.Endpoint;
import org.sluice.sim.topology.QueueFactory;
import org.sluice.sim.transport.Flow;
import org.sluice.sim.transport.FlowStatistics;

/** A case's network for rates without packets. */
final class FluidNetwork {
  private static final long ACCESS_BITS_PER_SECOND = 100_000_000_000L;

  private FluidNetwork() {}

  static CaseNetwork of(FairnessCase drawn) {
    QueueFactory none = QueueFactory.dropTail(1);
    return new CaseNetwork(
        drawn,
        1,
        ACCESS_BITS_PER_SECOND,
        none,
        none,
        (network, name, from, to, plan) -> new Stream(name, from, to));
  }

  /** What is sent has a rate; that is all. */
  private record Stream(String name, Endpoint source, Endpoint destination) implements Flow {
    @Override
    public int pathHash() {
      return 0;
    }

    @Override
    public FlowStatistics statistics() {
      throw new UnsupportedOperationException("nothing is sent");
    }

    @Override
    public void start(long atNanos) {}

    @Override
    public void stop(long atNanos) {}
  }
}
