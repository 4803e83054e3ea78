// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

  private static final long SECOND = 1_000_000_000L;
  private static final long TAU = 2_500_000;
  private static final long STALE = TwoTimeScaleParameters.DEFAULTS.staleNanos();

  private final EndpointControl control = control(0);

  private static EndpointControl control(long guarantee) {
    return new EndpointControl(
        () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS),
        new Bounds(50 * MEGABIT, guarantee, 1),
        STALE);
  }

  private static PortId port(int number) {
    return PortId.of("s1", number);
  }

  private static PortShare share(long unitShare) {
    return new PortShare(unitShare, false, 0, false);
  }

  private static PortShare lending(long unitShare) {
    return new PortShare(unitShare, false, 0.5, false);
  }

  private static int[] to(int... destinations) {
    return destinations;
  }

  private boolean publish(int port, PortShare share, int... destinations) {
    return control.setShare(
        port(port), share, destinations, EndpointControl.NO_FLOOR, PROFILE_WEIGHT, 1);
  }

  @Test
  void lowestShareGovernsADestination() {
    publish(1, share(25 * MEGABIT), 1, 2);
    publish(2, share(10 * MEGABIT), 2, 3);
    control.step(0, 0);
    assertThat(control.governing(1)).isZero();
    assertThat(control.governing(2)).isEqualTo(1);
    assertThat(control.governing(3)).isEqualTo(1);
    assertThat(control.governing(4)).isEqualTo(EndpointControl.UNGOVERNED);
    assertThat(control.limitBitsPerSecond(1)).isEqualTo(10 * MEGABIT);
  }

  @Test
  void destinationsPartOfAShareDecidesWhatGovernsIt() {
    control.setShare(
        port(1),
        share(25 * MEGABIT),
        to(1, 2, 3, 4),
        EndpointControl.NO_FLOOR,
        PROFILE_WEIGHT,
        0.25);
    publish(2, share(10 * MEGABIT), 2);
    control.step(0, 0);
    assertThat(control.governing(2)).as("6.25 of 25 Mbit/s, not all of 10").isZero();
    publish(2, share(6 * MEGABIT), 2);
    control.step(TAU, 0);
    control.step(2 * TAU, 0);
    assertThat(control.governing(2)).as("all of 6 Mbit/s").isEqualTo(1);
  }

  @Test
  void portThatIsDueToGiveHardlyLessDoesNotTakeADestinationOver() {
    publish(1, share(10 * MEGABIT), 1);
    publish(2, share(20 * MEGABIT), 1);
    control.step(0, 0);
    assertThat(control.governing(1)).isZero();
    publish(2, share(9_950_000), 1);
    control.step(TAU, 0);
    assertThat(control.governing(1)).isZero();
    publish(2, share(9_850_000), 1);
    control.step(2 * TAU, 0);
    assertThat(control.governing(1)).isEqualTo(1);
  }

  @Test
  void marksDoNotChangeWhatGovernsADestination() {
    publish(1, share(10 * MEGABIT), 1, 2);
    publish(2, share(9 * MEGABIT), 2);
    control.step(0, 0);
    for (int i = 1; i <= 10; i++) {
      control.feedback(1, 10, 10);
      control.step(i * TAU, 0);
    }
    assertThat(control.limitBitsPerSecond(0)).isLessThan(8 * MEGABIT);
    assertThat(control.governing(2)).isEqualTo(1);
  }

  @Test
  void marksCountForTheGoverningPort() {
    publish(1, share(25 * MEGABIT), 1, 2);
    publish(2, share(10 * MEGABIT), 2);
    control.step(0, 0);
    control.feedback(2, 4, 2);
    control.feedback(1, 4, 1);
    control.feedback(3, 100, 100);
    control.step(TAU, 0);
    assertThat(control.ceShare(0)).isEqualTo(0.25);
    assertThat(control.ceShare(1)).isEqualTo(0.5);
    control.feedback(1, 2, 5);
    control.step(2 * TAU, 0);
    assertThat(control.ceShare(0)).as("no more marks than packets").isEqualTo(1);
  }

  @Test
  void guaranteeIsDividedAmongActiveDestinationsOrAsPublished() {
    EndpointControl guaranteed = control(40 * MEGABIT);
    guaranteed.setShare(
        port(1), share(MEGABIT), to(1), EndpointControl.NO_FLOOR, PROFILE_WEIGHT, 1);
    guaranteed.sent(0, 1, 1500);
    guaranteed.sent(0, 2, 1500);
    guaranteed.step(0, 1);
    assertThat(guaranteed.limitBitsPerSecond(0)).isEqualTo(20 * MEGABIT);
    guaranteed.setShare(port(1), share(MEGABIT), to(1), 8 * MEGABIT, PROFILE_WEIGHT, 1);
    guaranteed.step(TAU, 1);
    assertThat(guaranteed.limitBitsPerSecond(0)).isEqualTo(8 * MEGABIT);
  }

  @Test
  void loanRisesWhileTheClassIsBacklogged() {
    publish(1, lending(10 * MEGABIT), 1);
    control.sent(0, 1, 1500);
    control.step(0, 1);
    control.step(TAU, 1);
    // One loanGain, 0.02, of the half that is lent.
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10_100_000);
    control.step(2 * TAU, 0);
    assertThat(control.limitBitsPerSecond(0)).as("unused").isEqualTo(10_090_000);
  }

  @Test
  void nothingIsBorrowedForWhatCrossesAPortWithoutALentPart() {
    publish(1, lending(10 * MEGABIT), 1);
    publish(2, share(20 * MEGABIT), 1);
    control.sent(0, 1, 1500);
    control.step(0, 1);
    control.step(TAU, 1);
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10 * MEGABIT);

    publish(2, new PortShare(20 * MEGABIT, false, 0.25, false), 1);
    control.step(2 * TAU, 1);
    assertThat(control.limitBitsPerSecond(0)).as("the lesser part").isEqualTo(10_050_000);
  }

  /** What limits is the share of the second port, cut by marks, but not under its floor. */
  @Test
  void leastShareOfPortsThatCarryTheSameIsNotCutUnderItsFloor() {
    publish(1, share(10 * MEGABIT), 1);
    publish(2, share(20 * MEGABIT), 1);
    control.step(0, 0);
    control.sent(EndpointControl.RECOUNT_NANOS, 1, 1500);
    control.step(EndpointControl.RECOUNT_NANOS, 1);
    control.setShare(port(2), share(4 * MEGABIT), to(1), 6 * MEGABIT, PROFILE_WEIGHT, 1);
    control.step(EndpointControl.RECOUNT_NANOS + TAU, 1);
    assertThat(control.governing(1)).isZero();
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(6 * MEGABIT);
    control.feedback(1, 10, 10);
    control.step(EndpointControl.RECOUNT_NANOS + 2 * TAU, 1);
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(6 * MEGABIT);
    control.setShare(port(2), share(4 * MEGABIT), to(1), 2 * MEGABIT, PROFILE_WEIGHT, 1);
    control.step(EndpointControl.RECOUNT_NANOS + 3 * TAU, 1);
    assertThat(control.limitBitsPerSecond(0)).as("0.86 of 4").isEqualTo(3_440_000);
  }

  @Test
  void sharesThatAreNotRefreshedHaveNoLentPart() {
    publish(1, lending(10 * MEGABIT), 1);
    control.sent(0, 1, 1500);
    control.step(0, 1);
    long last = EndpointControl.REFRESHED_NANOS - TAU;
    for (long now = TAU; now <= last; now += TAU) {
      control.step(now, 1);
    }
    assertThat(control.limitBitsPerSecond(0)).as("at most two loans").isEqualTo(20 * MEGABIT);
    for (int i = 1; i <= 30; i++) {
      control.step(last + i * TAU, 1);
    }
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10 * MEGABIT);
  }

  /** A cut at one port leaves another port's class what it had. */
  @Test
  void whatMarksTakeFromOnePortIsNotForAnother() {
    publish(1, share(10 * MEGABIT), 1);
    publish(2, share(20 * MEGABIT), 1, 2);
    long now = 0;
    for (int i = 0; i < 200; i++) {
      now = sendAndStep(now);
    }
    assertThat(control.limitBitsPerSecond(1)).isCloseTo(10 * MEGABIT, within(100L));
    for (int i = 0; i < 20; i++) {
      control.feedback(1, 10, 10);
      now = sendAndStep(now);
    }
    assertThat(control.limitBitsPerSecond(0)).isLessThan(5 * MEGABIT);
    assertThat(control.limitBitsPerSecond(1)).isCloseTo(10 * MEGABIT, within(100L));
    control.feedback(2, 10, 10);
    sendAndStep(now);
    // x = 1 + 0.06 - 0.2
    assertThat(control.limitBitsPerSecond(1)).as("its own cut").isCloseTo(8_600_000, within(100L));
  }

  /** 10 Mbit/s to destination 1 and as much to 2. */
  private long sendAndStep(long now) {
    control.sent(now, 1, 3125);
    control.sent(now, 2, 3125);
    control.step(now, 3);
    return now + TAU;
  }

  @Test
  void relayedPortBecomesIdleAndAMarkActivatesIt() {
    control.takeRelayedShare(port(1), share(10 * MEGABIT), 1);
    control.step(0, 0);
    control.step(SECOND, 0);
    assertThat(control.isActive(0)).isFalse();
    assertThat(control.governing(1)).isEqualTo(EndpointControl.UNGOVERNED);
    control.feedback(1, 4, 1);
    control.step(SECOND + TAU, 0);
    assertThat(control.isActive(0)).isTrue();
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10 * MEGABIT);
  }

  @Test
  void publishedSharesStayInForceWithoutController() {
    control.setSession(true);
    publish(1, share(10 * MEGABIT), 1);
    control.step(0, 0);
    control.setSession(false);
    control.step(3600 * SECOND, 0);
    assertThat(control.governing(1)).isZero();
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10 * MEGABIT);
  }

  @Test
  void controllerThatHasReturnedEndsWhatItDoesNotPublish() {
    control.setSession(true);
    publish(1, share(10 * MEGABIT), 1);
    publish(2, share(10 * MEGABIT), 2);
    control.step(0, 0);
    control.setSession(false);
    control.step(60 * SECOND, 0);
    control.setSession(true);
    publish(2, share(10 * MEGABIT), 2);
    long end = 60 * SECOND + STALE;
    control.step(end - 1, 0);
    assertThat(control.isActive(0)).isTrue();
    publish(2, share(10 * MEGABIT), 2);
    control.step(end, 0);
    assertThat(control.isActive(0)).isFalse();
    assertThat(control.governing(1)).isEqualTo(EndpointControl.UNGOVERNED);
    assertThat(control.isActive(1)).isTrue();
  }

  @Test
  void portsAreLimitedToEight() {
    for (int i = 0; i < EndpointControl.MAX_PORTS; i++) {
      assertThat(publish(i, share(MEGABIT), 1)).isTrue();
    }
    assertThat(publish(9, share(MEGABIT), 1)).isFalse();
    publish(3, new PortShare(0, true, 0, false));
    assertThat(publish(9, share(MEGABIT), 1)).isTrue();
  }

  @Test
  void publishedShareReplacesRelayedShare() {
    control.takeRelayedShare(port(1), share(10 * MEGABIT), 1);
    control.step(0, 0);
    assertThat(control.limitBitsPerSecond(0)).isEqualTo(10 * MEGABIT);
    assertThat(control.governing(1)).isZero();
    publish(1, share(25 * MEGABIT), 1, 2);
    control.takeRelayedShare(port(1), share(MEGABIT), 3);
    assertThat(control.governing(3)).isZero();
    publish(1, share(25 * MEGABIT), 1, 2);
    assertThat(control.governing(3)).as("it names all").isEqualTo(EndpointControl.UNGOVERNED);
  }
}
