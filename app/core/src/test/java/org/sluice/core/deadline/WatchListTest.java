// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.deadline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

class WatchListTest {
  private final WatchList list = new WatchList();

  private static FlowKey flow(int port) {
    return FlowKey.of(IpAddress.parse("10.0.0.1"), 0, IpAddress.parse("10.0.0.5"), port);
  }

  @Test
  void flowStaysWatchedAfterItsRegistrationEnds() {
    assertThat(list.follow(Set.of(flow(1), flow(2)), 0))
        .containsExactlyInAnyOrder(flow(1), flow(2));
    assertThat(list.follow(Set.of(flow(2)), 5)).containsExactlyInAnyOrder(flow(1), flow(2));
    long before = 5 + WatchList.LINGER_NANOS - 1;
    assertThat(list.follow(Set.of(flow(2)), before)).containsExactlyInAnyOrder(flow(1), flow(2));
    assertThat(list.follow(Set.of(flow(2)), before + 1)).containsExactly(flow(2));
  }

  @Test
  void reregisteredFlowStaysWatched() {
    list.follow(Set.of(flow(1)), 0);
    list.follow(Set.of(), 1);
    list.follow(Set.of(flow(1)), 2);
    assertThat(list.follow(Set.of(flow(1)), WatchList.LINGER_NANOS * 2)).containsExactly(flow(1));
  }

  @Test
  void watchedFlowsAreLimitedBySwitchTableSize() {
    Set<FlowKey> many = new HashSet<>();
    for (int port = 1; port <= WatchList.MOST + 10; port++) {
      many.add(flow(port));
    }
    assertThat(list.follow(many, 0)).hasSize(WatchList.MOST);
    assertThat(list.follow(many, 1)).hasSize(WatchList.MOST);
    assertThat(list.follow(Set.of(), WatchList.LINGER_NANOS * 2)).hasSize(WatchList.MOST);
    assertThat(list.follow(Set.of(), WatchList.LINGER_NANOS * 4)).isEmpty();
  }
}
