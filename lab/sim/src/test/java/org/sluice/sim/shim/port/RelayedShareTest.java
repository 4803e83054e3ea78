// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.sim.shim.law.Bounds;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;

/** Shares that a receiver's shim has relayed. */
class RelayedShareTest {
  private static final PortId PORT = PortId.of("s", 1);
  private static final PortId OTHER = PortId.of("s", 2);
  private static final long CEILING = 1_000_000_000L;

  /** Stands for the weight of the profile. */
  private static final double PROFILE_WEIGHT = 0;

  private static final long SECOND = 1_000_000_000L;

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
  void startsControlOfAPort() {
    assertThat(control.takeRelayedShare(PORT, share(33_000_000), 7)).isTrue();
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
    // A source starts at w C / (W + w) = 100 / 4.
    assertThat(limit()).isEqualTo(25_000_000);
  }

  @Test
  void anotherDestinationJoins() {
    control.takeRelayedShare(PORT, share(33_000_000), 7);
    control.takeRelayedShare(PORT, share(33_000_000), 8);
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isZero();
  }

  @Test
  void publishedShareTakesPrecedence() {
    control.setShare(
        PORT, share(50_000_000), new int[] {7}, EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.takeRelayedShare(PORT, share(10_000_000), 8);
    assertThat(control.governing(8)).isZero();
    // w C / (W + w), from the controller's share: the relayed one changes nothing.
    assertThat(limit()).isEqualTo(25_000_000);
    control.setShare(
        PORT, share(50_000_000), new int[] {7}, EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  @Test
  void controllerTakesOver() {
    control.takeRelayedShare(PORT, share(10_000_000), 8);
    control.setShare(
        PORT, share(50_000_000), new int[] {7}, EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  /** A controller that is there publishes every port on the path to a destination. */
  @Test
  void sharesOfPortsUnknownToTheControllerAreIgnored() {
    control.takeRelayedShare(OTHER, share(10_000_000), 7); // a newcomer
    control.step(SECOND, 0);
    assertThat(port(7)).isEqualTo(OTHER);
    int[] seven = {7};
    control.setShare(PORT, share(50_000_000), seven, EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.step(SECOND + 1, 0);
    assertThat(port(7)).isEqualTo(PORT);
    control.takeRelayedShare(OTHER, share(10_000_000), 7);
    control.takeRelayedShare(OTHER, share(10_000_000), 8); // not published
    long gone = SECOND + TwoTimeScaleParameters.DEFAULTS.staleNanos();
    control.step(gone - 1, 0);
    control.takeRelayedShare(OTHER, share(10_000_000), 7);
    control.remove(PORT);
    assertThat(control.governing(7)).isEqualTo(EndpointControl.UNGOVERNED);
    assertThat(port(8)).isEqualTo(OTHER);

    control.setShare(PORT, share(50_000_000), seven, EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.step(gone - 1 + TwoTimeScaleParameters.DEFAULTS.staleNanos(), 0);
    control.takeRelayedShare(OTHER, share(10_000_000), 7); // the controller is gone
    control.remove(PORT);
    assertThat(port(7)).isEqualTo(OTHER);
  }

  private PortId port(int destination) {
    return control.port(control.governing(destination));
  }

  @Test
  void portsAreLimitedToEight() {
    for (int i = 0; i < EndpointControl.MAX_PORTS; i++) {
      assertThat(control.takeRelayedShare(PortId.of("t", i), share(1_000_000), i)).isTrue();
    }
    assertThat(control.takeRelayedShare(OTHER, share(1_000_000), 9)).isFalse();
    assertThat(control.governing(9)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  /** A stale share must not draw a source upwards, as a published one does. */
  @Test
  void staleShareDoesNotRaiseTheRate() {
    EndpointControl published =
        new EndpointControl(
            () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS), new Bounds(CEILING, 0, 1));
    published.setShare(
        PORT, share(33_000_000), new int[] {7}, EndpointControl.NO_FLOOR, PROFILE_WEIGHT);
    control.takeRelayedShare(PORT, share(33_000_000).asStale(), 7);
    for (EndpointControl each : new EndpointControl[] {published, control}) {
      each.step(1_000_000, 1);
      each.feedback(7, 10, 0, 15_000);
      each.step(1_500_000, 1);
    }
    // R = 25 + 0.02 x 33; published: the distance 1.1 - 25/33 counts as 0.04, so 0.3 x 0.04 x 33
    // more.
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(25_660_000);
    assertThat(published.limitBitsPerSecond(0)).isEqualTo(26_056_000);
  }
}
