// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;

class RouteMemoryTest {
  private static final IpAddress A = IpAddress.parse("10.0.0.1");
  private static final IpAddress B = IpAddress.parse("fe80::ff:fe00:101");

  private final Set<IpAddress> disk = new HashSet<>();

  @Test
  void inheritedAreStoredRoutesNotYetObserved() {
    new RouteMemory(disk).follow(Set.of(A, B));

    RouteMemory next = new RouteMemory(disk);
    assertThat(next.inherited()).containsExactlyInAnyOrder(A, B);
    next.follow(Set.of(A));
    assertThat(next.inherited()).containsExactly(B);
    next.follow(Set.of(A, B));
    assertThat(next.inherited()).isEmpty();
  }

  @Test
  void detachedRoutesAreNotInherited() {
    RouteMemory memory = new RouteMemory(disk);
    memory.follow(Set.of(A, B));
    memory.follow(Set.of(A));

    assertThat(memory.inherited()).isEmpty();
    assertThat(disk).containsExactly(A);
  }

  @Test
  void isEmptyAfterAllRulesAreRemoved() {
    RouteMemory memory = new RouteMemory(disk);
    memory.follow(Set.of(A));
    memory.clear();
    assertThat(disk).isEmpty();

    memory.follow(Set.of(A));
    assertThat(disk).containsExactly(A);
  }
}
