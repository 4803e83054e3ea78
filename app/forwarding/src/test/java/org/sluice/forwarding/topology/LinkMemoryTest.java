// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.port;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.forwarding.spi.Link;

class LinkMemoryTest {
  private static final Link THERE = Link.of(port("s1/5"), port("s2/5"));
  private static final PortId NEAR = port("s1/5");
  private static final PortId FAR = port("s2/5");

  private final LinkMemory memory = new LinkMemory();
  private final Set<PortId> up = new HashSet<>(Set.of(NEAR, FAR));
  private final Map<String, Long> since =
      new HashMap<>(Map.of(NEAR.datapath(), 0L, FAR.datapath(), 0L));

  private final Set<String> away = new HashSet<>();

  private final LinkMemory.Evidence evidence =
      new LinkMemory.Evidence() {
        @Override
        public boolean isUp(PortId port) {
          return up.contains(port);
        }

        @Override
        public long disturbedNanos(String device) {
          return since.get(device);
        }

        @Override
        public boolean isAway(String device) {
          return away.contains(device);
        }
      };

  private Collection<Link> merge(long nowNanos, Link... discovered) {
    return memory.merge(List.of(discovered), evidence, nowNanos);
  }

  private LinkMemory restarted() {
    LinkMemory next = new LinkMemory();
    next.restore(memory.stored(), 0);
    return next;
  }

  @Test
  void storedLinkIsUsedAfterARestartUntilRediscovered() {
    merge(0, THERE);

    Collection<Link> links = restarted().merge(List.of(), evidence, 1);

    assertThat(links).hasSize(1);
    assertThat(links.iterator().next().from()).isEqualTo(NEAR);
    assertThat(links.iterator().next().to()).isEqualTo(FAR);
  }

  @Test
  void storedLinkExpiresUnlessRediscovered() {
    merge(0, THERE);

    assertThat(merge(LinkMemory.GRACE_NANOS - 1)).hasSize(1);
    assertThat(merge(LinkMemory.GRACE_NANOS)).isEmpty();
    assertThat(memory.stored()).isEmpty();
  }

  @Test
  void linkThatGoesDownIsRemovedAtOnce() {
    Link back = Link.of(FAR, NEAR);
    long later = LinkMemory.GRACE_NANOS * 10;
    merge(later, THERE, back);

    assertThat(merge(later + 1, back)).containsOnly(back);
    assertThat(memory.recent()).as("its ports are no edge ports yet").contains(THERE);
    merge(later + LinkMemory.RECENT_NANOS, back);
    assertThat(memory.recent()).containsOnly(back);
  }

  @Test
  void linksThatAreMissedAtOnceCountForAWhile() {
    long later = LinkMemory.GRACE_NANOS * 10;
    merge(later, THERE);

    assertThat(merge(later + 1)).hasSize(1);
    assertThat(merge(later + LinkMemory.GRACE_NANOS)).hasSize(1);
    assertThat(merge(later + LinkMemory.GRACE_NANOS + 1)).isEmpty();
  }

  @Test
  void linkOfADownPortIsUnusedButStored() {
    merge(0, THERE);
    up.remove(FAR);

    assertThat(merge(LinkMemory.GRACE_NANOS * 2)).isEmpty();
    assertThat(memory.stored()).hasSize(1);

    up.add(FAR);
    since.put(FAR.datapath(), LinkMemory.GRACE_NANOS * 3);
    assertThat(merge(LinkMemory.GRACE_NANOS * 3 + 1)).hasSize(1);
  }

  @Test
  void linkOfADisconnectedSwitchIsUncertainWhileTheFarPortIsUp() {
    merge(0, THERE);
    assertThat(memory.ofSwitchesAway(evidence)).isEmpty();

    up.remove(FAR);
    assertThat(memory.ofSwitchesAway(evidence)).as("a port that is down").isEmpty();
    away.add(FAR.datapath());
    assertThat(memory.ofSwitchesAway(evidence)).hasSize(1);
    assertThat(merge(1)).isEmpty();

    up.remove(NEAR);
    assertThat(memory.ofSwitchesAway(evidence)).isEmpty();
    away.add(NEAR.datapath());
    assertThat(memory.ofSwitchesAway(evidence)).as("both are away").hasSize(1);
  }
}
