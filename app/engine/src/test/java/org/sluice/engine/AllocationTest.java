// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.HostObservation;
import org.sluice.engine.statistics.EngineStatistics.Figure;

/** In a steady state, with 240 ports under control, neither intake nor tick allocates. */
class AllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Periods until every port that marks has been judged, and rates have settled. */
  private static final int WARM_UP = 60;

  private static final int MOST_BATCHES = 10;

  @Test
  void steadyStateAllocatesNothing() {
    check(withFewerEndpoints());
  }

  @Test
  void steadyCountersAllocateNothing() {
    // With fewer endpoints, ports that meters watch come under control for a long time.
    SyntheticDataCenter network =
        new SyntheticDataCenter(EngineParameters.DEFAULTS, 3, 50).metered();
    List<MeterSample> meters = network.markedMeters();
    List<PortSample> ports = network.portSamples();
    check(
        network,
        () -> {
          for (int i = 0; i < meters.size(); i++) {
            network.engine.observe(meters.get(i), network.nowNanos());
          }
          for (int i = 0; i < ports.size(); i++) {
            network.engine.observe(ports.get(i), network.nowNanos());
          }
        });
  }

  @Test
  void steadyFloorsAllocateNothing() {
    check(withFewerEndpoints().guaranteed(5_000_000));
  }

  @Test
  void steadySharesOfTenantsAllocateNothing() {
    check(withFewerEndpoints().sharedByTenants(0));
  }

  @Test
  void steadyFloorsOfTenantsAllocateNothing() {
    check(withFewerEndpoints().sharedByTenants(40_000_000));
  }

  @Test
  void steadyCeilingsOfTenantsAllocateNothing() {
    check(withFewerEndpoints().sharedByTenants(0, 1_000_000_000));
  }

  /** All ports with a fifth of the endpoints: what allocates does so with any number. */
  private static SyntheticDataCenter withFewerEndpoints() {
    return new SyntheticDataCenter(EngineParameters.DEFAULTS, 1, 50);
  }

  private static void check(SyntheticDataCenter network) {
    check(network, () -> {});
  }

  private static void check(SyntheticDataCenter network, Runnable counters) {
    // What a report leaves out counts as silent.
    List<HostObservation> all = new ArrayList<>(network.allSent());
    all.addAll(network.allUnmarked());
    all.addAll(network.allMarked());
    for (int i = 0; i < WARM_UP; i++) {
      bytesOfPeriod(network, all, counters);
    }
    // Where control of a port begins or ends something is allocated, and rightly so.
    long controlled = network.engine.statistics().get(Figure.CONTROLLED_PORTS);
    // What the virtual machine itself does at times, as when it drops compiled code, is not ours:
    // what the engine allocated would show every time.
    long least = Long.MAX_VALUE;
    for (int batch = 0; batch < MOST_BATCHES && least > 0; batch++) {
      network.decisions = 0;
      long bytes = 0;
      for (int i = 0; i < 20; i++) {
        bytes += bytesOfPeriod(network, all, counters);
      }
      assertThat(network.engine.statistics().get(Figure.CONTROLLED_PORTS))
          .as("ports under control, which is steady")
          .isEqualTo(controlled)
          .isEqualTo(SyntheticDataCenter.MARKING_PORTS);
      assertThat(network.decisions)
          .as("all ports were refreshed")
          .isGreaterThan(network.endpoints * 5L / 2);
      least = Math.min(least, bytes);
    }
    assertThat(least).isZero();
  }

  private static long bytesOfPeriod(
      SyntheticDataCenter network, List<HostObservation> observations, Runnable counters) {
    long before = allocated();
    counters.run();
    for (int i = 0; i < observations.size(); i++) {
      network.engine.observe(observations.get(i));
    }
    network.tick();
    return allocated() - before;
  }

  private static long allocated() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }
}
