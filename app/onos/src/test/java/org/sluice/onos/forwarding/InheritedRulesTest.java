// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onlab.packet.IpAddress;
import org.onosproject.core.ApplicationId;
import org.onosproject.core.DefaultApplicationId;
import org.sluice.onos.testing.OnosWorld;

class InheritedRulesTest {
  private static final Set<IpAddress> ADDRESSES =
      Set.of(IpAddress.valueOf("10.0.0.1"), IpAddress.valueOf("fd00::1"));
  private static final long MOST_MILLIS = 5000;

  private final ApplicationId application = new DefaultApplicationId(7, "test");
  private final OnosWorld world = new OnosWorld();
  private final InheritedRules inherited =
      new InheritedRules(
          new Pipeline(application),
          new RuleReconciler(world.flows, application),
          world.devices,
          world.mastership);

  @BeforeEach
  void build() {
    world.switches.connect("s1", 1, 5);
    world.switches.connect("s2", 1, 5);
  }

  @AfterEach
  void end() {
    world.close();
  }

  @Test
  void eachSwitchIsCleanedOnceWhileAnotherIsDisconnected() {
    world.switches.disconnect("s2");
    assertThat(inherited.takeBack(ADDRESSES, false, MOST_MILLIS)).isFalse();
    int modifications = world.switches.modifications("s1");
    assertThat(modifications).isPositive();

    for (int i = 0; i < 5; i++) {
      assertThat(inherited.takeBack(ADDRESSES, false, MOST_MILLIS)).isFalse();
    }
    assertThat(world.switches.modifications("s1")).isEqualTo(modifications);
    assertThat(world.switches.modifications("s2")).isZero();

    world.switches.connect("s2");
    assertThat(inherited.takeBack(ADDRESSES, false, MOST_MILLIS)).isTrue();
    assertThat(world.switches.modifications("s1")).isEqualTo(modifications);
    assertThat(world.switches.modifications("s2")).isEqualTo(modifications);
  }

  @Test
  void laterInheritedRulesAreRemoved() {
    inherited.takeBack(ADDRESSES, false, MOST_MILLIS);
    int modifications = world.switches.modifications("s1");

    inherited.takeBack(Set.of(IpAddress.valueOf("10.0.0.9")), false, MOST_MILLIS);

    assertThat(world.switches.modifications("s1")).isGreaterThan(modifications);
  }
}
