// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.sluice.core.testing.Samples.port;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.api.policy.Limits;
import org.sluice.api.policy.Policy;
import org.sluice.api.policy.PolicyDecision;
import org.sluice.api.policy.PolicySet;
import org.sluice.api.policy.TcpHint;
import org.sluice.engine.opentcp.GroupTopology;
import org.sluice.engine.opentcp.Oracle;

class LinkCountersTest {
  private static final PortId PORT = port("s1/5");
  private static final List<PortId> LINKS = List.of(PORT);
  private static final long SECOND = 1_000_000_000L;
  private static final long CAPACITY = 8_000_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final LinkCounters counters = new LinkCounters();

  /** A megabyte is the whole of a second. */
  private static PortSample sample(long bytes, long drops) {
    return PortSample.builder(PORT)
        .txBytes(bytes)
        .txPackets(bytes / 1000)
        .txDroppedPackets(drops)
        .intervalNanos(SECOND)
        .build();
  }

  private static PortQueueObservation queued(long bytes, long drops) {
    return PortQueueObservation.of(
        HostId.of("wire"),
        0,
        SECOND,
        List.of(PortQueueSample.of(PORT, bytes / 1000, bytes, 0, 0, drops, 0, 0)));
  }

  /** What an oracle that is made now knows of the cycle that has ended. */
  private PolicyDecision seen() throws SluiceException {
    GroupTopology topology = new GroupTopology(List.of());
    topology.addLink(PORT, CAPACITY, true);
    Oracle oracle = new Oracle(topology, (source, destination, hint) -> {});
    counters.seed(oracle.readings(), LINKS);
    Policy policy =
        Policy.builder("p")
            .enterBelow(Limits.of(1, 1))
            .leaveAt(Limits.of(1, 1))
            .hint(TcpHint.builder().initialWindowSegments(20).build())
            .build();
    return oracle
        .dryRun(PolicySet.builder("s").policies(List.of(policy)).build())
        .decisions()
        .get(0);
  }

  @Test
  void cycleCoversItsOwnSamplesAlone() throws Exception {
    counters.add(sample(900_000, 0));
    counters.endCycle();
    counters.add(sample(500_000, 5));
    counters.add(sample(100_000, 1));
    counters.endCycle();
    assertThat(seen().utilisation()).isEqualTo(0.3);
    assertThat(seen().dropRate()).isEqualTo(0.01, offset(1e-4));
    counters.endCycle();
    assertThat(seen().utilisation()).as("nothing was counted").isNaN();
  }

  @Test
  void cycleMayEndAtAnyTime() throws Exception {
    counters.add(sample(900_000, 0));
    counters.endCycle();
    counters.restartCycle();
    assertThat(seen().utilisation()).as("there is nothing newer").isEqualTo(0.9);
    counters.add(sample(100_000, 0));
    counters.restartCycle();
    assertThat(seen().utilisation()).isEqualTo(0.1);
  }

  @Test
  void portAgentTakesPrecedenceUntilSilentForTwoCycles() throws Exception {
    counters.add(sample(500_000, 0));
    counters.endCycle();
    counters.add(sample(500_000, 0));
    counters.add(queued(200_000, 2));
    counters.add(sample(500_000, 0));
    counters.endCycle();
    assertThat(seen().utilisation()).as("of the agent alone").isEqualTo(0.2);
    assertThat(seen().dropRate()).isEqualTo(2.0 / 202);
    for (int silent = 0; silent < 2; silent++) {
      counters.add(sample(500_000, 0));
      counters.endCycle();
      assertThat(seen().utilisation()).isNaN();
    }
    counters.add(sample(500_000, 0));
    counters.endCycle();
    assertThat(seen().utilisation()).isEqualTo(0.5);
    assertThat(seen().dropRate()).isZero();
  }

  @Test
  void uncountedDropsAreUnknown() throws Exception {
    counters.add(sample(500_000, PortSample.NOT_COUNTED));
    counters.endCycle();
    assertThat(seen().utilisation()).isEqualTo(0.5);
    assertThat(seen().dropRate()).isNaN();
  }

  @Test
  void removedLinksExpire() throws Exception {
    counters.add(sample(500_000, 0));
    counters.endCycle();
    counters.retain(Set.of());
    assertThat(seen().utilisation()).isNaN();
    assertThat(counters.longestIntervalNanos(LINKS)).isZero();
  }

  @Test
  void addingAllocatesNothing() {
    PortSample sample = sample(1000, 0);
    PortQueueObservation queued = queued(1000, 0);
    for (int i = 0; i < 20_000; i++) {
      counters.add(sample);
      counters.add(queued);
    }
    long thread = Thread.currentThread().getId();
    long before = THREADS.getThreadAllocatedBytes(thread);
    for (int i = 0; i < 10_000; i++) {
      counters.add(sample);
    }
    long allocated = THREADS.getThreadAllocatedBytes(thread) - before;
    assertThat(allocated).as("bytes for 10,000 samples").isLessThan(10_000);
  }
}
