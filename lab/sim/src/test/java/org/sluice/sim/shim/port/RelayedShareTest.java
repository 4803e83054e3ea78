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
  private static final long STALE = TwoTimeScaleParameters.DEFAULTS.staleNanos();

  private final EndpointControl control =
      new EndpointControl(
          () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS),
          new Bounds(CEILING, 0, 1),
          STALE);

  private static PortShare share(long bitsPerSecond) {
    return new PortShare(bitsPerSecond, false, 0, false);
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
    assertThat(limit()).isEqualTo(33_000_000);
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
    publish(7);
    control.takeRelayedShare(PORT, share(10_000_000), 8);
    assertThat(control.governing(8)).isZero();
    assertThat(limit()).isEqualTo(50_000_000);
    publish(7);
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  @Test
  void controllerTakesOver() {
    control.takeRelayedShare(PORT, share(10_000_000), 8);
    publish(7);
    assertThat(control.governing(7)).isZero();
    assertThat(control.governing(8)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  /** A controller that is there publishes every port on the path to a destination. */
  @Test
  void sharesOfPortsUnknownToTheControllerAreIgnored() {
    control.takeRelayedShare(OTHER, share(10_000_000), 7); // a newcomer
    control.step(SECOND, 0);
    assertThat(port(7)).isEqualTo(OTHER);
    publish(7);
    control.step(SECOND + 1, 0);
    assertThat(port(7)).isEqualTo(PORT);
    control.takeRelayedShare(OTHER, share(10_000_000), 7);
    control.takeRelayedShare(OTHER, share(10_000_000), 8); // not published
    long gone = SECOND + STALE;
    control.step(gone - 1, 0);
    control.takeRelayedShare(OTHER, share(10_000_000), 7);
    control.remove(PORT);
    assertThat(control.governing(7)).isEqualTo(EndpointControl.UNGOVERNED);
    assertThat(port(8)).isEqualTo(OTHER);

    publish(7);
    control.step(gone - 1 + STALE, 0);
    control.takeRelayedShare(OTHER, share(10_000_000), 7); // the controller is gone
    control.remove(PORT);
    assertThat(port(7)).isEqualTo(OTHER);
  }

  private PortId port(int destination) {
    return control.port(control.governing(destination));
  }

  /** Else it would take one of the eight places. */
  @Test
  void relayedPortWithoutDestinationsEnds() {
    control.takeRelayedShare(OTHER, share(10_000_000), 7);
    control.takeRelayedShare(OTHER, share(10_000_000), 8);
    publish(7);
    assertThat(control.port(0)).isEqualTo(OTHER);
    publish(7, 8);
    assertThat(control.port(0)).isNull();
    assertThat(port(8)).isEqualTo(PORT);
  }

  private void publish(int... destinations) {
    control.setShare(
        PORT, share(50_000_000), destinations, EndpointControl.NO_FLOOR, PROFILE_WEIGHT, 1);
  }

  @Test
  void portsAreLimitedToEight() {
    for (int i = 0; i < EndpointControl.MAX_PORTS; i++) {
      assertThat(control.takeRelayedShare(PortId.of("t", i), share(1_000_000), i)).isTrue();
    }
    assertThat(control.takeRelayedShare(OTHER, share(1_000_000), 9)).isFalse();
    assertThat(control.governing(9)).isEqualTo(EndpointControl.UNGOVERNED);
  }

  /** What is lent is as old as the share: only the controller's own word of just now counts. */
  @Test
  void relayedShareHasNoLentPart() {
    EndpointControl published =
        new EndpointControl(
            () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS),
            new Bounds(CEILING, 0, 1),
            STALE);
    PortShare lending = new PortShare(33_000_000, false, 1, false);
    published.setShare(PORT, lending, new int[] {7}, EndpointControl.NO_FLOOR, PROFILE_WEIGHT, 1);
    control.takeRelayedShare(PORT, lending, 7);
    for (EndpointControl each : new EndpointControl[] {published, control}) {
      each.step(1_000_000, 1);
      each.step(1_500_000, 1);
    }
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(33_000_000);
    assertThat(published.limitBitsPerSecond(0)).as("loanGain").isEqualTo(33_660_000);
  }
}
