// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;

class EndpointControlTest {
  private static final long MEGABIT = 1_000_000;

  /** Stands for the weight of the profile. */
  private static final double PROFILE_WEIGHT = 0;

  private static final long TAU = 2_500_000;

  private final EndpointControl control = control(0);

  private static EndpointControl control(long guarantee) {
    return new EndpointControl(
        () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS),
        new Bounds(50 * MEGABIT, guarantee, 1));
  }

  private static PortId port(int number) {
    return PortId.of("s1", number);
  }

  private static PortShare share(long unitShare, double activeWeight) {
    return new PortShare(unitShare, 50 * MEGABIT, activeWeight, false);
  }

  private static int[] to(int... destinations) {
    return destinations;
  }

  @Test
  void lowestLimitGovernsADestination() {
    control.setShare(
        port(1), share(25 * MEGABIT, 1), to(1, 2), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.setShare(
        port(2), share(10 * MEGABIT, 4), to(2, 3), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.step(0, 0);
    assertThat(control.governing(1)).isZero();
    assertThat(control.governing(2)).isEqualTo(1);
    assertThat(control.governing(3)).isEqualTo(1);
    assertThat(control.governing(4)).isEqualTo(EndpointControl.UNGOVERNED);
    assertThat(control.limitBitsPerSecond(1)).as("C / (W + w)").isEqualTo(10 * MEGABIT);
  }

  @Test
  void marksCountForTheGoverningPort() {
    control.setShare(
        port(1), share(25 * MEGABIT, 1), to(1, 2), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.setShare(
        port(2), share(10 * MEGABIT, 4), to(2), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.step(0, 0);
    control.feedback(2, 4, 2, 6000);
    control.feedback(1, 4, 1, 6000);
    control.feedback(3, 100, 100, 150_000);
    control.step(TAU, 0);
    assertThat(control.ceShare(0)).isEqualTo(0.25);
    assertThat(control.ceShare(1)).isEqualTo(0.5);
    control.feedback(1, 2, 5, 3000);
    control.step(2 * TAU, 0);
    assertThat(control.ceShare(0)).as("no more marks than packets").isEqualTo(1);
  }

  @Test
  void guaranteeIsDividedAmongActiveDestinationsOrAsPublished() {
    EndpointControl guaranteed = control(40 * MEGABIT);
    guaranteed.setShare(
        port(1), share(MEGABIT, 49), to(1), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    guaranteed.sent(0, 1, 1500);
    guaranteed.sent(0, 2, 1500);
    guaranteed.step(0, 1);
    assertThat(guaranteed.limitBitsPerSecond(0)).isEqualTo(20 * MEGABIT);
    guaranteed.setShare(port(1), share(MEGABIT, 49), to(1), 8 * MEGABIT, PROFILE_WEIGHT);
    guaranteed.step(TAU, 1);
    assertThat(guaranteed.limitBitsPerSecond(0)).isEqualTo(8 * MEGABIT);
  }

  @Test
  void unmarkedPortBecomesIdleAndAMarkActivatesIt() {
    control.setShare(
        port(1), share(10 * MEGABIT, 4), to(1), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.step(0, 0);
    control.step(1_000_000_000L, 0);
    assertThat(control.isActive(0)).isFalse();
    assertThat(control.governing(1)).isEqualTo(EndpointControl.UNGOVERNED);
    control.feedback(1, 4, 1, 6000);
    control.step(1_000_000_000L + TAU, 0);
    assertThat(control.isActive(0)).isTrue();
  }

  @Test
  void portsAreLimitedToEight() {
    for (int i = 0; i < EndpointControl.MAX_PORTS; i++) {
      assertThat(
              control.setShare(
                  port(i), share(MEGABIT, 1), to(1), EndpointControl.NO_FLOOR, PROFILE_WEIGHT))
          .isTrue();
    }
    assertThat(
            control.setShare(
                port(9), share(MEGABIT, 1), to(1), EndpointControl.NO_FLOOR, PROFILE_WEIGHT))
        .isFalse();
    control.setShare(
        port(3), new PortShare(0, 0, 0, true), to(), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    assertThat(
            control.setShare(
                port(9), share(MEGABIT, 1), to(1), EndpointControl.NO_FLOOR, PROFILE_WEIGHT))
        .isTrue();
  }

  @Test
  void publishedShareReplacesRelayedShare() {
    control.takeRelayedShare(port(1), share(10 * MEGABIT, 4), 1);
    control.step(0, 0);
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10 * MEGABIT);
    assertThat(control.governing(1)).isZero();
    control.setShare(
        port(1), share(25 * MEGABIT, 1), to(1, 2), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.takeRelayedShare(port(1), share(MEGABIT, 49), 3);
    assertThat(control.governing(3)).isZero();
    control.setShare(
        port(1), share(25 * MEGABIT, 1), to(1, 2), EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    assertThat(control.governing(3)).as("it names all").isEqualTo(EndpointControl.UNGOVERNED);
  }
}
