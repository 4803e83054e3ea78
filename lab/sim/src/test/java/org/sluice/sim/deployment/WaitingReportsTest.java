// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.sim.deployment.DumbbellFixture.GIGABIT;
import static org.sluice.sim.deployment.DumbbellFixture.MILLI;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.link.PairSample;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.shim.host.Addresses;
import org.sluice.sim.shim.law.PortShare;
import org.sluice.sim.shim.law.TwoTimeScale;
import org.sluice.sim.shim.law.TwoTimeScaleParameters;
import org.sluice.sim.shim.port.EndpointControl;
import org.sluice.sim.shim.queue.Enforcement;
import org.sluice.sim.shim.report.ReportSink;
import org.sluice.sim.shim.sluice.ShimParameters;
import org.sluice.sim.shim.sluice.SluiceShim;

/** What a host reports of pairs that wait for their limits. */
class WaitingReportsTest {
  private static final long TAU = MILLI / 2;
  private static final long START = 20 * MILLI;
  private static final long STOP = 120 * MILLI;

  private final DumbbellFixture fixture = new DumbbellFixture(1, 1);
  private final Endpoint sender = fixture.dumbbell.senders().get(0);
  private final int receiver = fixture.dumbbell.receivers().get(0).number();
  private final List<Long> times = new ArrayList<>();
  private final List<PairSample> samples = new ArrayList<>();

  private SluiceShim shim() {
    ShimParameters parameters =
        new ShimParameters(
            () -> new TwoTimeScale(TwoTimeScaleParameters.DEFAULTS),
            TAU,
            5 * MILLI,
            4 * TAU,
            Enforcement.HTB,
            1500,
            0,
            MILLI,
            1000 * MILLI,
            3000 * MILLI,
            false,
            false,
            false);
    ReportSink sink =
        new ReportSink() {
          @Override
          public void observe(long intervalNanos, List<PairSample> pairs) {
            assertThat(pairs).hasSize(1);
            times.add(fixture.network.scheduler().now());
            samples.addAll(pairs);
          }

          @Override
          public void observeReceiver(
              Endpoint endpoint, long nanos, long packets, long bytes, long overThreshold) {
            throw new AssertionError("there is no receive ceiling");
          }
        };
    SluiceShim shim =
        new SluiceShim(
            fixture.network, sender.host(), parameters, new Addresses(fixture.network), sink);
    shim.install();
    shim.sessionBegan();
    return shim;
  }

  private void publish(SluiceShim shim, long bitsPerSecond) {
    shim.setShare(
        sender.number(),
        PortId.of("s", 1),
        new PortShare(bitsPerSecond, false, 0, false),
        new int[] {receiver},
        EndpointControl.NO_FLOOR,
        0,
        1);
  }

  @Test
  void beginAndEndAreReportedAtOnceAndOnce() {
    SluiceShim shim = shim();
    publish(shim, GIGABIT / 10);
    fixture.floodFrom(0, START, STOP);
    fixture.network.scheduler().runUntil(10 * STOP);

    int first = firstThat(true, 0);
    assertThat(times.get(first)).as("begin").isBetween(START + 10 * MILLI, START + 13 * MILLI);
    assertThat(times.get(first + 1)).isEqualTo(times.get(first) + 50 * MILLI);
    int end = firstThat(false, first);
    assertThat(end).as("the end").isEqualTo(samples.size() - 1);
    assertThat(times.get(end)).isGreaterThan(STOP);
  }

  @Test
  void pairWithinItsLimitDoesNotWait() {
    SluiceShim shim = shim();
    publish(shim, 2L * GIGABIT);
    fixture.floodFrom(0, START, STOP);
    fixture.network.scheduler().runUntil(2 * STOP);
    assertThat(samples).isNotEmpty().noneMatch(PairSample::waits);
  }

  /** The first sample from an index on that says so. */
  private int firstThat(boolean waits, int from) {
    int i = from;
    while (samples.get(i).waits() != waits) {
      i++;
    }
    return i;
  }
}
