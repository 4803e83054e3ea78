// SPDX-License-Identifier: Apache-2.0
package org.sluice.sflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.sluice.sflow.TestDatagram.AGENT;
import static org.sluice.sflow.TestDatagram.datagram;
import static org.sluice.sflow.TestDatagram.flowSample;
import static org.sluice.sflow.TestDatagram.generic;
import static org.sluice.sflow.TestDatagram.structure;
import static org.sluice.sflow.TestDatagram.tcp;
import static org.sluice.sflow.TestDatagram.xdr;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.deadline.FlowKey;

class DatagramIntakeTest {
  private static final IpAddress S1 = IpAddress.parse("10.9.0.1");
  private static final IpAddress S2 = IpAddress.parse("10.9.0.2");
  private static final int FIN = 1;
  private static final int RST = 4;
  private static final int RATE = 100;
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1000 * MILLI;

  private final RecordingListener listener = new RecordingListener();
  private final Counters counters = new Counters();
  private final SflowConfig.Builder config = SflowConfig.builder().agents(Set.of(S1, S2));
  private DatagramIntake intake;
  private long now = 5;
  private int sequence;

  private DatagramIntake.Outcome take(IpAddress from, byte[] datagram) {
    if (intake == null) {
      intake = new DatagramIntake(config.build(), listener, counters, now);
    }
    InetAddress sender = Addresses.inet(from);
    return intake.take(sender, ByteBuffer.wrap(datagram), now);
  }

  /** A datagram of S1 with these samples. */
  private DatagramIntake.Outcome sampled(byte[]... samples) {
    return sampled(S1, samples);
  }

  private DatagramIntake.Outcome sampled(IpAddress from, byte[]... samples) {
    return take(from, datagram(from.toBytes(), 0, ++sequence, uptime(), samples));
  }

  private int uptime() {
    return (int) (now / MILLI);
  }

  /** One sample of a flow, with 1000 IP bytes. */
  private byte[] packet(int sourcePort) {
    return packet(sourcePort, 0);
  }

  private byte[] packet(int sourcePort, int flags) {
    return flowSample(++sequence, 3, RATE, 0, 3, 4, tcp(sourcePort, 1000, flags));
  }

  private List<FlowEstimate> report() {
    now += 20 * MILLI;
    intake.turn(now);
    return listener.take();
  }

  private SflowCounts counts() {
    return counters.read().kernelDropped(OptionalLong.empty()).receiveBufferBytes(0).build();
  }

  private static FlowKey flow(int sourcePort) {
    return FlowKey.of(IpAddress.parse("10.0.0.1"), sourcePort, IpAddress.parse("10.0.0.2"), 80);
  }

  @Test
  void samplesAreScaledByTheirRates() {
    sampled(packet(7), flowSample(9, 3, 300, 0, 3, 5, tcp(7, 60, 0)), packet(7));

    assertThat(report())
        .containsExactly(
            FlowEstimate.builder()
                .flow(flow(7))
                .protocol(FlowEstimate.Protocol.TCP)
                .sentBytes(2 * 100 * 1000 + 300 * 60)
                .standardErrorBytes(Math.sqrt(2 * 100.0 * 99 * 1000 * 1000 + 300.0 * 299 * 60 * 60))
                .samples(3)
                .agent(S1)
                .inputInterface(3)
                .outputInterface(4)
                .state(FlowEstimate.State.ACTIVE)
                .build());
    assertThat(report()).as("nothing new").isEmpty();
  }

  @Test
  void errorMatchesSflowTheory() {
    for (int i = 0; i < 400; i++) {
      sampled(packet(7));
    }
    // 196 / sqrt(400) percent is of a rate so high that r - 1 is r.
    assertThat(report().get(0).relativeError95()).isCloseTo(0.098, within(0.001));
  }

  @Test
  void samplingEveryPacketHasNoError() {
    config.thresholdBytes(0);
    sampled(
        flowSample(1, 3, 1, 0, 3, 4, tcp(7, 1000, 0)), flowSample(2, 3, 1, 0, 3, 4, tcp(7, 60, 0)));
    FlowEstimate estimate = report().get(0);
    assertThat(estimate.sentBytes()).isEqualTo(1060);
    assertThat(estimate.standardErrorBytes()).isZero();
  }

  @Test
  void errorIsA95PercentConfidenceBound() {
    config.datagramsPerSecond(1_000_000);
    Random random = new Random(7);
    long[] sent = new long[500];
    for (int flow = 0; flow < sent.length; flow++) {
      for (int packet = 0; packet < 20_000; packet++) {
        int bytes = random.nextInt(3) == 0 ? 60 : 1500;
        sent[flow] += bytes;
        if (random.nextInt(RATE) == 0) {
          sampled(flowSample(++sequence, 3, RATE, 0, 3, 4, tcp(flow + 1, bytes, 0)));
        }
      }
    }
    long within =
        report().stream()
            .filter(
                each ->
                    Math.abs(each.sentBytes() - sent[each.flow().sourcePort() - 1])
                        <= each.relativeError95() * each.sentBytes())
            .count();
    assertThat(within).isBetween(465L, 490L);
  }

  @Test
  void flowIsReportedOnceLargeAndNotAfterASingleSample() {
    config.thresholdBytes(250_000);
    sampled(packet(7));
    sampled(packet(7));
    assertThat(report()).isEmpty();
    sampled(packet(7));
    assertThat(report()).extracting(FlowEstimate::sentBytes).containsExactly(300_000L);

    config.thresholdBytes(1000);
    intake = null;
    sampled(packet(7));
    assertThat(report()).isEmpty();
    sampled(packet(7));
    assertThat(report()).hasSize(1);
  }

  @Test
  void reportsAreRateLimited() {
    config.reportMillis(50);
    sampled(packet(7), packet(7));
    now += 49 * MILLI;
    intake.turn(now);
    assertThat(listener.flows).isEmpty();
    assertThat(intake.nextTurnNanos()).isEqualTo(now + MILLI);
    now += MILLI;
    intake.turn(now);
    assertThat(listener.flows).hasSize(1);
  }

  @Test
  void finAndRstEndAFlow() {
    for (int flag : new int[] {FIN, RST}) {
      sampled(packet(7), packet(7), packet(7, flag));
      assertThat(report())
          .extracting(FlowEstimate::state)
          .containsExactly(FlowEstimate.State.FINISHED);
      // What other switches sampled before, and what is sent again, comes later.
      sampled(packet(7));
      assertThat(report()).isEmpty();
      now += 20 * SECOND;
      assertThat(report()).as("it has been reported already").isEmpty();
    }
    assertThat(counts().afterEnd()).isEqualTo(2);
    assertThat(counts().flows()).isZero();
  }

  /** Flags are the sender's: who sets them and goes on has not sent less. */
  @Test
  void flowThatContinuesAfterItsFinKeepsItsBytes() {
    sampled(packet(7), packet(7), packet(7, FIN));
    report();
    now += 2 * SECOND;
    sampled(packet(7));
    assertThat(report())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.state()).isEqualTo(FlowEstimate.State.ACTIVE);
              assertThat(each.sentBytes()).isEqualTo(400_000);
            });
  }

  @Test
  void idleFlowEnds() {
    config.idleMillis(3000);
    sampled(packet(7), packet(7), packet(8));
    report();
    now += 3 * SECOND - 41 * MILLI;
    assertThat(report()).isEmpty();
    now += 200 * MILLI;
    assertThat(report())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.flow()).isEqualTo(flow(7));
              assertThat(each.state()).isEqualTo(FlowEstimate.State.IDLE);
              assertThat(each.sentBytes()).isEqualTo(200_000);
            });
    assertThat(counts().flows()).isZero();
  }

  @Test
  void flowIsCountedAtOneSwitch() {
    for (int i = 0; i < 50; i++) {
      sampled(S1, packet(7));
      sampled(S2, packet(7));
      now += 100 * MILLI;
    }
    List<FlowEstimate> reported = report();
    assertThat(reported).extracting(FlowEstimate::agent).containsOnly(S1);
    assertThat(reported.get(reported.size() - 1).sentBytes()).isEqualTo(50 * RATE * 1000);
    assertThat(counts().elsewhereCounted()).isEqualTo(50);
  }

  @Test
  void flowIsCountedAtOnePort() {
    for (int i = 0; i < 50; i++) {
      sampled(packet(7), flowSample(++sequence, 9, RATE, 0, 9, 4, tcp(7, 1000, 0)));
    }
    assertThat(report()).extracting(FlowEstimate::sentBytes).containsExactly(50L * RATE * 1000);
  }

  @Test
  void egressSamplesAreNotAddedToIngressSamples() {
    sampled(flowSample(1, 4, RATE, 0, 3, 4, tcp(7, 1000, 0)));
    assertThat(counts().unusable()).containsEntry(UnusableSample.EGRESS, 1L);
    assertThat(counts().flows()).isZero();
    // Open vSwitch has one source of class 2 for a bridge, whatever the port.
    sampled(flowSample(1, 2 << 24 | 4, RATE, 0, 3, 4, tcp(7, 1000, 0)));
    assertThat(counts().flows()).isEqualTo(1);
  }

  @Test
  void anotherSwitchReplacesASilentOne() {
    sampled(S1, packet(7), packet(7));
    now += 1500 * MILLI;
    for (int i = 0; i < 12; i++) {
      sampled(S2, packet(7));
      assertThat(counts().movedFlows()).isZero();
    }
    now += 500 * MILLI;
    sampled(S2, packet(7));
    assertThat(counts().movedFlows()).isEqualTo(1);
    assertThat(report())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.agent()).isEqualTo(S2);
              assertThat(each.samples()).isEqualTo(15);
              assertThat(each.sentBytes()).isEqualTo(15 * RATE * 1000);
            });
    sampled(S1, packet(7));
    assertThat(report()).as("counted at S2").isEmpty();
  }

  @Test
  void switchWithRareSamplesIsNotSilent() {
    for (int i = 0; i < 40; i++) {
      sampled(S1, packet(7));
      now += 2500 * MILLI;
      sampled(S2, packet(7));
      now += 2500 * MILLI;
    }
    assertThat(counts().movedFlows()).isZero();
    assertThat(counts().elsewhereCounted()).isEqualTo(40);
  }

  @Test
  void onlyListedAgentsAreAccepted() {
    byte[] datagram = datagram(S1.toBytes(), 0, 1, 1, packet(7), packet(7));
    assertThat(take(IpAddress.parse("10.9.0.3"), datagram))
        .isEqualTo(DatagramIntake.Outcome.FOREIGN);
    assertThat(counts().foreign()).isEqualTo(1);
    assertThat(counts().flowSamples()).isZero();

    intake = null;
    config.agents(Set.of(S2));
    assertThat(take(S1, datagram)).isEqualTo(DatagramIntake.Outcome.FOREIGN);
  }

  @Test
  void emptyListAcceptsNoAgent() {
    config.agents(Set.of());
    assertThat(sampled(packet(7))).isEqualTo(DatagramIntake.Outcome.FOREIGN);
    intake.turn(now + SECOND);
  }

  @Test
  void agentsHaveSeparateQuotas() {
    config.datagramsPerSecond(100);
    for (int i = 0; i < 1000; i++) {
      sampled(S1, packet(7));
    }
    assertThat(counts().overQuota()).isEqualTo(900);
    assertThat(sampled(S2, packet(8))).isEqualTo(DatagramIntake.Outcome.TAKEN);
    now += 10 * MILLI;
    assertThat(sampled(S1, packet(7))).isEqualTo(DatagramIntake.Outcome.TAKEN);
    assertThat(sampled(S1, packet(7))).isEqualTo(DatagramIntake.Outcome.OVER_QUOTA);
  }

  @Test
  void malformedDatagramsAreCountedByReason() {
    assertThat(take(S1, xdr(4, 1, 2, 3))).isEqualTo(DatagramIntake.Outcome.MALFORMED);
    assertThat(take(S1, new byte[2])).isEqualTo(DatagramIntake.Outcome.MALFORMED);
    assertThat(counts().malformed())
        .containsEntry(DatagramFault.VERSION, 1L)
        .containsEntry(DatagramFault.TRUNCATED, 1L);
    assertThat(counts().allMalformed()).isEqualTo(2);
  }

  @Test
  void aMalformedSampleIsSkippedAlone() {
    byte[] noRate = flowSample(1, 3, 0, 0, 3, 4, tcp(7, 1000, 0));
    byte[] noFrame = flowSample(1, 3, RATE, 0, 3, 4, structure(1, xdr(1, 0, 0, 0)));
    byte[] strippedMore = flowSample(1, 3, RATE, 0, 3, 4, structure(1, xdr(1, 64, 65, 0)));
    assertThat(sampled(packet(7), noRate, noFrame, packet(7), strippedMore))
        .isEqualTo(DatagramIntake.Outcome.TAKEN_IN_PART);
    byte[] whole = datagram(AGENT, 0, ++sequence, uptime(), packet(7));
    assertThat(take(S1, Arrays.copyOf(whole, whole.length + 5)))
        .isEqualTo(DatagramIntake.Outcome.TAKEN_IN_PART);
    assertThat(sampled(packet(7))).isEqualTo(DatagramIntake.Outcome.TAKEN);

    assertThat(report()).singleElement().matches(each -> each.samples() == 4);
    assertThat(counts().flowSamples()).isEqualTo(4);
    assertThat(counts().malformedSamples())
        .containsEntry(DatagramFault.VALUE, 3L)
        .containsEntry(DatagramFault.TRAILING, 1L);
    assertThat(counts().allMalformedSamples()).isEqualTo(4);
    assertThat(counts().allMalformed()).isZero();
    assertThat(counts().lastMalformed()).contains(S1);
  }

  @Test
  void samplesWithoutFlowAreCountedByReason() {
    sampled(flowSample(1, 1, 1, 0, 1, 2), structure(99, new byte[4]));
    assertThat(counts().unusable()).containsEntry(UnusableSample.NO_PACKET, 1L);
    assertThat(counts().skippedSamples()).isEqualTo(1);
  }

  @Test
  void interfaceCountersArePassedOn() {
    sampled(structure(2, xdr(1, 3, 1, generic(3, 1_000_000, 5, 6, 7))));
    assertThat(listener.counters).extracting(InterfaceCounters::inOctets).containsExactly(5L);
    assertThat(counts().interfaceCounters()).isEqualTo(1);
  }

  private void numbered(int number, int uptime) {
    take(S1, datagram(AGENT, 0, number, uptime, packet(7)));
  }

  @Test
  void gapsDuplicatesAndLateDatagramsAreReported() {
    for (int number : new int[] {10, 11, 15, 13, 13, 15}) {
      numbered(number, 1000);
    }
    assertThat(counts().lostDatagrams()).as("12 and 14").isEqualTo(2);
    assertThat(counts().duplicates()).isEqualTo(2);
    assertThat(counts().restarts()).isZero();
    assertThat(counts().flowSamples()).isEqualTo(4);
  }

  @Test
  void restartsAreNotLosses() {
    numbered(-1, 100_000);
    numbered(0, 100_000);
    numbered(1, 100_000);
    assertThat(counts().lostDatagrams()).as("the sequence may wrap").isZero();
    numbered(1, 0);
    numbered(5_000_000, 10);
    numbered(1, 20);
    assertThat(counts().restarts()).isEqualTo(3);
    assertThat(counts().lostDatagrams()).isZero();
    assertThat(counts().duplicates()).isZero();
  }

  @Test
  void subAgentsHaveSeparateSequences() {
    for (int number = 1; number < 5; number++) {
      take(S1, datagram(AGENT, 0, number, 1, packet(7)));
      take(S1, datagram(AGENT, 1, 100 + number, 1, packet(7)));
    }
    assertThat(counts().lostDatagrams()).isZero();
    assertThat(counts().restarts()).isZero();
  }

  @Test
  void subAgentsPerAgentAreBounded() {
    for (int i = 0; i < 10 * SubAgents.MAX; i++) {
      take(S1, datagram(AGENT, i, 1, 1, packet(7)));
    }
    assertThat(counts().flowSamples()).isEqualTo(10 * SubAgents.MAX);
  }

  @Test
  void lostSamplesAndSwitchDropsAreReported() {
    for (int[] each : new int[][] {{1, 0}, {2, 0}, {5, 3}, {4, 3}, {6, 10}}) {
      sampled(flowSample(each[0], 3, RATE, each[1], 3, 4, tcp(7, 1000, 0)));
    }
    assertThat(counts().lostSamples()).as("3").isEqualTo(1);
    assertThat(counts().droppedByAgents()).isEqualTo(10);
  }

  @Test
  void sourcesOfSamplesAreBounded() {
    for (int source = 0; source < 3 * SampleGaps.MAX_SOURCES; source++) {
      sampled(flowSample(1, 1000 + source, RATE, 0, 3, 4, tcp(7, 1000, 0)));
    }
    assertThat(counts().lostSamples()).isZero();
  }

  @Test
  void evictionRemovesFlowsOfTheLargestUser() {
    config.maxFlows(100);
    for (int port = 1; port <= 30; port++) {
      sampled(S2, packet(port));
      sampled(S2, packet(port));
    }
    report();
    for (int port = 1001; port <= 2000; port++) {
      sampled(S1, packet(port));
    }
    assertThat(counts().flows()).isEqualTo(100);
    assertThat(counts().evictedFlows()).isEqualTo(930);
    assertThat(report()).as("none of S2's").isEmpty();

    // And S2 comes to an equal part.
    for (int port = 5001; port <= 5500; port++) {
      sampled(S2, packet(port));
      sampled(S1, packet(port + 1000));
    }
    List<FlowEstimate> evicted = report();
    assertThat(evicted)
        .hasSize(30)
        .allMatch(each -> each.state() == FlowEstimate.State.EVICTED && each.agent().equals(S2));
    assertThat(evicted.get(0).flow()).as("the longest unseen goes first").isEqualTo(flow(1));
    assertThat(counts().flows()).isEqualTo(100);
  }

  @Test
  void largeFlowIsKeptAmongManySmallOnes() {
    config.maxFlows(100);
    for (int port = 1; port <= 5000; port++) {
      sampled(packet(port));
      if (port % 50 == 0) {
        sampled(packet(9000));
      }
    }
    assertThat(report())
        .filteredOn(each -> each.flow().equals(flow(9000)))
        .extracting(FlowEstimate::samples)
        .containsExactly(100L);
  }

  @Test
  void failingListenerDoesNotStopTheIntake() {
    intake =
        new DatagramIntake(
            config.build(),
            flows -> {
              throw new IllegalStateException("of the test");
            },
            counters,
            now);
    sampled(packet(7), packet(7));
    report();
    assertThat(counts().listenerFailures()).isEqualTo(1);
    assertThat(sampled(packet(7))).isEqualTo(DatagramIntake.Outcome.TAKEN);
  }

  @Test
  void sampleOfAnExistingFlowAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    InetAddress sender = Addresses.inet(S1);
    byte[][] samples =
        IntStream.range(0, 7).mapToObj(each -> packet(7 + each % 3)).toArray(byte[][]::new);
    ByteBuffer[] datagrams =
        IntStream.range(0, 20_000)
            .mapToObj(each -> ByteBuffer.wrap(datagram(AGENT, 0, each, each / 100, samples)))
            .toArray(ByteBuffer[]::new);
    config.datagramsPerSecond(1_000_000);
    intake = new DatagramIntake(config.build(), listener, counters, now);
    long bytes = 0;
    for (int i = 0; i < datagrams.length; i++) {
      bytes = i == 10_000 ? threads.getThreadAllocatedBytes(self) : bytes;
      intake.take(sender, datagrams[i], now);
    }
    bytes = threads.getThreadAllocatedBytes(self) - bytes;
    assertThat(counts().flowSamples()).isEqualTo(140_000);
    assertThat(bytes).as("bytes for 70,000 samples").isLessThan(10_000);
  }

  @Test
  void invalidConfigurationsAreRejected() {
    Stream<Runnable> refused =
        Stream.of(
            () -> SflowConfig.builder().port(65_536).build(),
            () -> SflowConfig.builder().datagramsPerSecond(0).build(),
            () -> SflowConfig.builder().maxFlows(0).build(),
            () -> SflowConfig.builder().minSamples(0).build(),
            () -> SflowConfig.builder().reportMillis(0).build(),
            () -> SflowConfig.builder().idleMillis(10).build(),
            () ->
                SflowConfig.builder()
                    .agents(
                        IntStream.range(0, SflowConfig.MAX_AGENTS + 1)
                            .mapToObj(each -> Addresses.ipv4(each))
                            .collect(Collectors.toSet()))
                    .build());
    refused.forEach(
        each ->
            assertThatThrownBy(each::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("\\w+ -?\\d+: use \\d+ to \\d+"));
  }
}
