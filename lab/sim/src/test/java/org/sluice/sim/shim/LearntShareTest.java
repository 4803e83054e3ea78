// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;

/** Shares that a receiver's shim has passed on. */
class LearntShareTest {
  private static final PortId PORT = PortId.of("s", 1);
  private static final PortId OTHER = PortId.of("s", 2);
  private static final long CEILING = 1_000_000_000L;

  private final EndpointControl control =
      new EndpointControl(
          () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS), new Bounds(CEILING, 0, 1));

  private static PortShare share(long bitsPerSecond) {
    return new PortShare(bitsPerSecond, 100_000_000L, 3, false);
  }

  private long limit() {
    control.step(1_000_000, 0);
    return control.limitBitsPerSecond(0);
  }

  @Test
  void startsTheControlOfAPort() {
    assertThat(control.learnShare(PORT, share(33_000_000), 7)).isTrue();
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
    // A source starts at w C / (W + w) = 100 / 4.
    assertThat(limit()).isEqualTo(25_000_000);
  }

  @Test
  void anotherDestinationJoins() {
    control.learnShare(PORT, share(33_000_000), 7);
    control.learnShare(PORT, share(33_000_000), 8);
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isZero();
  }

  @Test
  void theControllersWordHolds() {
    control.setShare(PORT, share(50_000_000), new int[] {7}, EndpointControl.NO_FLOOR);
    control.learnShare(PORT, share(10_000_000), 8);
    assertThat(control.governing(8)).isZero();
    // w C / (W + w), from the controller's share: the learnt one changes nothing.
    assertThat(limit()).isEqualTo(25_000_000);
    control.setShare(PORT, share(50_000_000), new int[] {7}, EndpointControl.NO_FLOOR);
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  @Test
  void theControllerTakesOver() {
    control.learnShare(PORT, share(10_000_000), 8);
    control.setShare(PORT, share(50_000_000), new int[] {7}, EndpointControl.NO_FLOOR);
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  @Test
  void thereIsRoomForEightPorts() {
    for (int i = 0; i < EndpointControl.MAX_GROUPS; i++) {
      assertThat(control.learnShare(PortId.of("t", i), share(1_000_000), i)).isTrue();
    }
    assertThat(control.learnShare(OTHER, share(1_000_000), 9)).isFalse();
    assertThat(control.governing(9)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  @Test
  void theLowestShareIsPassedOn() {
    SharesToPassOn shares = new SharesToPassOn();
    shares.put(PORT, share(30_000_000), new int[] {1, 4});
    shares.put(OTHER, share(20_000_000), new int[] {4});
    assertThat(shares.lowest(1).port()).isEqualTo(PORT);
    assertThat(shares.lowest(4).port()).isEqualTo(OTHER);
    assertThat(shares.lowest(2)).isNull();
    shares.put(OTHER, new PortShare(20_000_000, 1, 1, true), new int[] {4});
    assertThat(shares.lowest(4).port()).isEqualTo(PORT);
    shares.put(PORT, share(30_000_000), new int[0]);
    assertThat(shares.lowest(4)).isNull();
  }
}
