// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Samples.link;
import static org.sluice.onos.testing.Samples.point;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.Link;

class LinkMemoryTest {
  private static final Link THERE = link("s1/5", "s2/5");
  private static final ConnectPoint NEAR = point("s1/5");
  private static final ConnectPoint FAR = point("s2/5");

  private final LinkMemory memory = new LinkMemory();
  private final Set<ConnectPoint> up = new HashSet<>(Set.of(NEAR, FAR));
  private final Map<DeviceId, Long> since =
      new HashMap<>(Map.of(NEAR.deviceId(), 0L, FAR.deviceId(), 0L));

  private final Set<DeviceId> away = new HashSet<>();

  private final LinkMemory.Evidence evidence =
      new LinkMemory.Evidence() {
        @Override
        public boolean isUp(ConnectPoint port) {
          return up.contains(port);
        }

        @Override
        public long availableSinceNanos(DeviceId device) {
          return since.get(device);
        }

        @Override
        public boolean isAway(DeviceId device) {
          return away.contains(device);
        }
      };

  private Collection<Link> merge(long nowNanos, Link... discovered) {
    return memory.merge(List.of(discovered), evidence, nowNanos);
  }

  private LinkMemory restarted() {
    LinkMemory next = new LinkMemory();
    next.restore(memory.stored());
    return next;
  }

  @Test
  void storedLinkIsUsedAfterARestartUntilRediscovered() {
    merge(0, THERE);

    Collection<Link> links = restarted().merge(List.of(), evidence, 1);

    assertThat(links).hasSize(1);
    assertThat(links.iterator().next().src()).isEqualTo(NEAR);
    assertThat(links.iterator().next().dst()).isEqualTo(FAR);
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
    long later = LinkMemory.GRACE_NANOS * 10;
    merge(later, THERE);

    assertThat(merge(later + 1)).isEmpty();
  }

  @Test
  void linkOfADownPortIsUnusedButStored() {
    merge(0, THERE);
    up.remove(FAR);

    assertThat(merge(LinkMemory.GRACE_NANOS * 2)).isEmpty();
    assertThat(memory.stored()).hasSize(1);

    up.add(FAR);
    since.put(FAR.deviceId(), LinkMemory.GRACE_NANOS * 3);
    assertThat(merge(LinkMemory.GRACE_NANOS * 3 + 1)).hasSize(1);
  }

  @Test
  void linkOfADisconnectedSwitchIsUncertainWhileTheFarPortIsUp() {
    merge(0, THERE);
    assertThat(memory.ofSwitchesAway(evidence)).isEmpty();

    up.remove(FAR);
    assertThat(memory.ofSwitchesAway(evidence)).as("a port that is down").isEmpty();
    away.add(FAR.deviceId());
    assertThat(memory.ofSwitchesAway(evidence)).hasSize(1);
    assertThat(merge(1)).isEmpty();

    up.remove(NEAR);
    assertThat(memory.ofSwitchesAway(evidence)).isEmpty();
    away.add(NEAR.deviceId());
    assertThat(memory.ofSwitchesAway(evidence)).as("both are away").hasSize(1);
  }
}
