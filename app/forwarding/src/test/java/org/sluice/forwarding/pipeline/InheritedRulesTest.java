// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.forwarding.testing.MemoryFabric;

class InheritedRulesTest {
  private static final Set<IpAddress> ADDRESSES =
      Set.of(IpAddress.parse("10.0.0.1"), IpAddress.parse("fd00::1"));
  private static final long MOST_MILLIS = 1000;

  private final MemoryFabric fabric = new MemoryFabric();
  private final InheritedRules inherited = new InheritedRules(fabric, fabric.time);

  @BeforeEach
  void build() {
    fabric.connect("s1", 1, 5);
    fabric.connect("s2", 1, 5);
  }

  @Test
  void eachSwitchIsCleanedOnceWhileAnotherIsDisconnected() {
    fabric.disconnect("s2");
    assertThat(inherited.takeBack(ADDRESSES, false, MOST_MILLIS)).isFalse();
    int modifications = fabric.switches.modifications("s1");
    assertThat(modifications).isPositive();

    for (int i = 0; i < 5; i++) {
      assertThat(inherited.takeBack(ADDRESSES, false, MOST_MILLIS)).isFalse();
    }
    assertThat(fabric.switches.modifications("s1")).isEqualTo(modifications);
    assertThat(fabric.switches.modifications("s2")).isZero();

    fabric.connect("s2");
    assertThat(inherited.takeBack(ADDRESSES, false, MOST_MILLIS)).isTrue();
    assertThat(fabric.switches.modifications("s1")).isEqualTo(modifications);
    assertThat(fabric.switches.modifications("s2")).isEqualTo(modifications);
  }

  @Test
  void laterInheritedRulesAreRemoved() {
    inherited.takeBack(ADDRESSES, false, MOST_MILLIS);
    int modifications = fabric.switches.modifications("s1");

    inherited.takeBack(Set.of(IpAddress.parse("10.0.0.9")), false, MOST_MILLIS);

    assertThat(fabric.switches.modifications("s1")).isGreaterThan(modifications);
  }
}
