// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sim.deployment.DumbbellFixture.GIGABIT;
import static org.sluice.sim.deployment.DumbbellFixture.MILLI;
import static org.sluice.sim.deployment.DumbbellFixture.SECOND;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.sluice.api.Law;
import org.sluice.core.setting.SettingTable;
import org.sluice.engine.marks.Signals;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Port;
import org.sluice.sim.platform.ChannelParameters;
import org.sluice.sim.platform.Outage;
import org.sluice.sim.shim.hygenicc.HyGenIccSettings;
import org.sluice.sim.shim.queue.Enforcement;

/** What else can happen to a deployment: policies, lost messages, dead agents, other laws. */
class DeploymentTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static DumbbellFixture floods(long until) {
    DumbbellFixture fixture = new DumbbellFixture(4, 1);
    for (int i = 0; i < 4; i++) {
      fixture.floodFrom(i, i * MILLI, until);
    }
    return fixture;
  }

  private static Endpoint sender(DumbbellFixture fixture, int i) {
    return fixture.dumbbell.senders().get(i);
  }

  /** What leaves a sender's host from now until a time, bit/s. */
  private static double sentUntil(DumbbellFixture fixture, int i, long nanos) {
    Port nic = sender(fixture, i).host().nic();
    long before = nic.counters().sentBytes();
    long from = fixture.network.scheduler().now();
    fixture.network.scheduler().runUntil(nanos);
    return (nic.counters().sentBytes() - before) * 8e9 / (nanos - from);
  }

  @Test
  void weightCanBeChangedWhileRunning() {
    DumbbellFixture fixture = floods(2 * SECOND);
    SluiceDeployment sluice =
        SluiceDeployment.install(fixture.network, SluiceParameters.builder().build());
    sluice.setWeight(sender(fixture, 0), 2, SECOND);
    fixture.measureFrom(SECOND + 150 * MILLI);
    double[] rates = fixture.ratesUntil(2 * SECOND);
    assertThat(rates[0]).isCloseTo(0.4 * GIGABIT, within(0.03 * 0.4 * GIGABIT));
    assertThat(rates[3]).isCloseTo(0.2 * GIGABIT, within(0.03 * 0.2 * GIGABIT));
    assertThat(fixture.utilisation()).isGreaterThan(0.97);
  }

  @Test
  void guaranteeAndCeilingHold() {
    DumbbellFixture fixture = floods(2 * SECOND);
    SluiceDeployment sluice =
        SluiceDeployment.install(fixture.network, SluiceParameters.builder().build());
    sluice.setGuarantee(sender(fixture, 0), 400_000_000L, 0);
    sluice.setCeiling(sender(fixture, 1), 100_000_000L, 0);
    fixture.measureFrom(SECOND);
    double[] rates = fixture.ratesUntil(2 * SECOND);
    assertThat(rates[0]).isGreaterThan(0.99 * 400_000_000);
    // To a packet, which is 12 kbit.
    assertThat(rates[1]).isCloseTo(100_000_000, within(12_000.0));
    // Halves of what they leave of 0.985 C; half a per cent of that is not worth a message.
    assertThat(rates[2]).isCloseTo(242_500_000, within(0.005 * 242_500_000));
    assertThat(rates[3]).isCloseTo(242_500_000, within(0.005 * 242_500_000));
  }

  @Test
  void sharesHoldWithALossyControlChannel() {
    DumbbellFixture fixture = floods(3 * SECOND);
    SluiceDeployment sluice =
        SluiceDeployment.install(
            fixture.network,
            SluiceParameters.builder()
                .set(SettingTable.SIGNALS, Signals.HOSTS)
                .channel(new ChannelParameters(5 * MILLI, 10 * MILLI, 0.03))
                .build());
    fixture.measureFrom(SECOND);
    for (double rate : fixture.ratesUntil(3 * SECOND)) {
      assertThat(rate).isCloseTo(GIGABIT / 4.0, within(0.03 * GIGABIT / 4));
    }
    assertThat(sluice.messagesLost()).isPositive();
  }

  @Test
  void reconnectedControllerResumesControl() {
    DumbbellFixture fixture = floods(4 * SECOND);
    SluiceDeployment sluice =
        SluiceDeployment.install(
            fixture.network,
            SluiceParameters.builder().absence(new Outage(SECOND, 2 * SECOND)).build());
    sluice.setWeight(sender(fixture, 0), 2, SECOND + SECOND / 2);
    fixture.measureFrom(SECOND + 600 * MILLI);
    assertThat(sluice.controller()).isEmpty();
    double[] gone = fixture.ratesUntil(2 * SECOND);
    assertThat(gone[0]).as("no new policy").isCloseTo(GIGABIT / 4.0, within(0.03 * GIGABIT / 4));
    fixture.measureFrom(2 * SECOND + 500 * MILLI);
    assertThat(fixture.ratesUntil(4 * SECOND)[0]).isCloseTo(4e8, within(0.03 * 4e8));
  }

  @Test
  void limitsOfAFailedAgentHoldForOneLease() {
    DumbbellFixture fixture = floods(4 * SECOND);
    SluiceDeployment sluice =
        SluiceDeployment.install(
            fixture.network, SluiceParameters.builder().leaseNanos(SECOND).build());
    sluice.killAgent(sender(fixture, 0).host(), SECOND);
    fixture.measureFrom(SECOND + 100 * MILLI);
    double limited = fixture.ratesUntil(2 * SECOND)[0];
    assertThat(limited).isBetween(0.15 * GIGABIT, 0.3 * GIGABIT);
    fixture.network.scheduler().runUntil(2 * SECOND + 100 * MILLI);
    assertThat(sentUntil(fixture, 0, 3 * SECOND)).as("open").isGreaterThan(0.95 * GIGABIT);
  }

  @Test
  void stoppedAgentRemovesItsLimitsAtOnce() {
    DumbbellFixture fixture = floods(2 * SECOND);
    SluiceDeployment sluice =
        SluiceDeployment.install(fixture.network, SluiceParameters.builder().build());
    sluice.stopAgent(sender(fixture, 0).host(), SECOND);
    fixture.network.scheduler().runUntil(SECOND / 2);
    assertThat(sentUntil(fixture, 0, SECOND)).as("limited").isLessThan(0.3 * GIGABIT);
    assertThat(sentUntil(fixture, 0, 2 * SECOND)).as("open").isGreaterThan(0.95 * GIGABIT);
  }

  @Test
  void sdnGccSharesEqually() {
    DumbbellFixture fixture = floods(4 * SECOND);
    SluiceDeployment.install(
        fixture.network,
        SluiceParameters.builder()
            .set(SettingTable.LAW, Law.SDN_GCC)
            .enforcement(Enforcement.HOLD)
            .build());
    assertRoughShares(fixture);
  }

  @Test
  void hyGenIccSharesEqually() {
    DumbbellFixture fixture = floods(4 * SECOND);
    HyGenIccDeployment hyGenIcc =
        HyGenIccDeployment.install(fixture.network, HyGenIccSettings.DEFAULTS);
    assertRoughShares(fixture);
    assertThat(hyGenIcc.hostMessages()).isPositive();
  }

  private static void assertRoughShares(DumbbellFixture fixture) {
    fixture.measureFrom(2 * SECOND);
    for (double rate : fixture.ratesUntil(4 * SECOND)) {
      assertThat(rate).isBetween(0.19 * GIGABIT, 0.28 * GIGABIT);
    }
    assertThat(fixture.utilisation()).isGreaterThan(0.8);
  }

  @Test
  void runsAreDeterministic() {
    assertThat(fingerprint(7)).isEqualTo(fingerprint(7)).isNotEqualTo(fingerprint(8));
  }

  private static String fingerprint(long seed) {
    DumbbellFixture fixture = new DumbbellFixture(4, seed);
    for (int i = 0; i < 4; i++) {
      fixture.floodFrom(i, i * MILLI, SECOND);
    }
    SluiceDeployment sluice =
        SluiceDeployment.install(
            fixture.network,
            SluiceParameters.builder().channel(new ChannelParameters(MILLI, MILLI, 0.1)).build());
    fixture.measureFrom(0);
    return Arrays.toString(fixture.ratesUntil(SECOND))
        + fixture.network.packetHops()
        + " "
        + sluice.messagesUp()
        + " "
        + sluice.messagesDown()
        + " "
        + sluice.hostMessages()
        + " "
        + fixture.dumbbell.bottleneck().queue().marked()
        + " "
        + fixture.network.scheduler().fired();
  }

  /** HyGenICC has no controller whose messages would be objects: its shims make none at all. */
  @Test
  void packetsAllocateNoObject() {
    DumbbellFixture fixture = floods(10 * SECOND);
    HyGenIccDeployment.install(fixture.network, HyGenIccSettings.DEFAULTS);
    assertThat(leastAllocation(fixture)).isZero();
  }

  /** Reports to the controller are objects, but there are few of them beside the packets. */
  @Test
  void reportsAreFew() {
    DumbbellFixture fixture = floods(10 * SECOND);
    SluiceDeployment.install(
        fixture.network,
        SluiceParameters.builder().absence(new Outage(SECOND, Outage.FOR_EVER)).build());
    assertThat(leastAllocation(fixture)).as("without a controller").isLessThan(100_000);
  }

  /** In the calmest of some half seconds: what the virtual machine does at times is not ours. */
  private static long leastAllocation(DumbbellFixture fixture) {
    fixture.network.scheduler().runUntil(2 * SECOND);
    long least = Long.MAX_VALUE;
    for (int i = 1; i <= 6; i++) {
      long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      fixture.network.scheduler().runUntil(2 * SECOND + i * SECOND / 2);
      long bytes = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
      least = Math.min(least, bytes);
    }
    return least;
  }
}
