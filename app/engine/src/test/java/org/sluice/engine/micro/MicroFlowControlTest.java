// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.engine.law.MicroFlowParameters;
import org.sluice.engine.law.MicroFlowParameters.Caps;

/**
 * The paper's edge: ports of 5 Mb/s behind 10 Mb/s, a round trip of 29 ms, 36 packets of buffer.
 */
class MicroFlowControlTest {
  private static final long MILLI = 1_000_000L;
  private static final long EDGE = 5_000_000L;
  private static final long POD = 10_000_000L;
  private static final long TIMEOUT = 100 * MILLI;
  private static final PortId DOWN = PortId.of("edge", 3);
  private static final PortId OTHER_DOWN = PortId.of("edge", 4);
  private static final PortId UP = PortId.of("aggregation1", 1);
  private static final PortId OTHER_UP = PortId.of("aggregation2", 1);

  private static final MicroFlowParameters PARAMETERS =
      MicroFlowParameters.builder()
          .roundTripNanos(29 * MILLI)
          .backgroundBytes(10_000)
          .flowLimit(50)
          .build();

  private final Decisions decisions = new Decisions();
  private final MicroFlowControl control = new MicroFlowControl(PARAMETERS, decisions);
  private final int port = control.addPort(DOWN, EDGE, 36, 4);
  private final int feeder = control.addFeeder(port, UP, POD, 36);

  /** Writes down what is decided, and how it stands. */
  private static final class Decisions implements CapSink {
    final List<String> log = new ArrayList<>();
    final Map<String, Long> caps = new HashMap<>();
    final Map<String, Long> until = new HashMap<>();
    long least = Long.MAX_VALUE;
    String evidence;

    @Override
    public void cap(CapDraft cap) {
      String name = cap.upstream() + ">" + cap.downstream();
      log.add("cap " + name + " " + cap.bitsPerSecond());
      caps.put(name, cap.bitsPerSecond());
      until.put(name, cap.untilNanos());
      least = Math.min(least, cap.bitsPerSecond());
      evidence =
          String.format(
              "ql %d TH %d alpha %.3f beta %.3f floor %d flows %d",
              cap.queuePackets(),
              cap.thresholdPackets(),
              cap.alpha(),
              cap.beta(),
              cap.floorBitsPerSecond(),
              cap.flows());
    }

    @Override
    public void restored(PortId upstream, PortId downstream) {
      String name = upstream + ">" + downstream;
      log.add("restored " + name);
      caps.remove(name);
    }

    @Override
    public void background(FlowKey flow) {
      log.add("background " + flow);
    }

    @Override
    public void forgotten(FlowKey flow) {
      log.add("forgotten " + flow);
    }

    @Override
    public void levels(long[] thresholdsBytes, long flows) {
      log.add("levels " + Arrays.toString(thresholdsBytes) + " of " + flows);
    }
  }

  private static FlowKey flow(int number) {
    return FlowKey.of(IpAddress.parse("10.0.0.1"), 1 + number, IpAddress.parse("10.0.0.2"), 5001);
  }

  private void background(int... path) {
    control.observeFlow(flow(0), 10_001, path, 0);
    decisions.log.clear();
  }

  @Test
  void capsAndThreshold() {
    assertThat(control.capacityPackets(port)).isEqualTo(12);
    assertThat(control.thresholdPackets(port)).isEqualTo(9);
    background(feeder);
    // alpha = 2/3; the feeder's qc is 24, so that beta = (24 - 6) / 24 = 3/4.
    control.observeFeeder(feeder, 6);
    control.observePort(port, 11, 0, 0);
    assertThat(decisions.log).containsExactly("cap aggregation1/1>edge/3 3750000");
    assertThat(decisions.until).containsValue(TIMEOUT);
    assertThat(control.nextProbeNanos(port)).isEqualTo(29 * MILLI * 9 / 11);
  }

  @Test
  void belowTheThresholdNothingIsCapped() {
    background(feeder);
    control.observePort(port, 8, 0, 0);
    assertThat(decisions.log).isEmpty();
    assertThat(control.nextProbeNanos(port)).isEqualTo(29 * MILLI * 9 / 8);
  }

  @Test
  void longBackgroundQueueIsNotCapped() {
    background(feeder);
    control.observeFeeder(feeder, 9);
    control.observePort(port, 12, 0, 0);
    assertThat(decisions.log).isEmpty();
  }

  @Test
  void feederWithoutBackgroundFlowsIsNotCapped() {
    int other = control.addFeeder(port, OTHER_UP, POD, 36);
    background(other);
    control.observePort(port, 12, 0, 0);
    assertThat(decisions.log).containsExactly("cap aggregation2/1>edge/3 2500000");
    assertThat(control.isCapped(feeder)).isFalse();
    assertThat(control.isCapped(other)).isTrue();
  }

  @Test
  void portsAreIndependent() {
    int second = control.addPort(OTHER_DOWN, EDGE, 36, 4);
    int secondFeeder = control.addFeeder(second, UP, POD, 36);
    background(feeder, secondFeeder);
    control.observePort(port, 12, 0, 0);
    control.observePort(second, 10, 0, 20 * MILLI);
    control.tick(TIMEOUT);
    control.tick(TIMEOUT + 20 * MILLI);
    assertThat(decisions.log)
        .containsExactly(
            "cap aggregation1/1>edge/3 2500000",
            "cap aggregation1/1>edge/4 4166666",
            "restored aggregation1/1>edge/3",
            "restored aggregation1/1>edge/4");
  }

  @Test
  void capExpiresUnlessRenewed() {
    background(feeder);
    control.observePort(port, 12, 0, 0);
    control.tick(TIMEOUT - 1);
    assertThat(control.isCapped(feeder)).isTrue();
    control.observePort(port, 10, 0, TIMEOUT - 1);
    control.tick(TIMEOUT);
    assertThat(control.isCapped(feeder)).as("renewed").isTrue();
    control.tick(2 * TIMEOUT - 1);
    assertThat(decisions.log)
        .containsExactly(
            "cap aggregation1/1>edge/3 2500000",
            "cap aggregation1/1>edge/3 4166666",
            "restored aggregation1/1>edge/3");
  }

  /** 5 Mb/s, of which the micro queue has taken 2; 1 and 3 of 4 flows come by the feeders. */
  @Test
  void sluiceCapsShareTheResidualCapacity() {
    Decisions all = new Decisions();
    MicroFlowControl ours = new MicroFlowControl(sluice().build(), all);
    int down = ours.addPort(DOWN, EDGE, 36, 4);
    int one = ours.addFeeder(down, UP, POD, 36);
    int other = ours.addFeeder(down, OTHER_UP, POD, 36);
    ours.observeFlow(flow(0), 10_001, new int[] {one}, 0);
    for (int i = 1; i < 4; i++) {
      ours.observeFlow(flow(i), 10_001, new int[] {other}, 0);
    }
    all.log.clear();
    ours.observePort(down, 0, 1_000, 10 * MILLI);
    ours.observeFeeder(other, 24);
    ours.observePort(down, 9, 1_000 + 12_500, 60 * MILLI);
    assertThat(all.log)
        .containsExactly("cap aggregation1/1>edge/3 750000", "cap aggregation2/1>edge/3 2250000");
    ours.observePort(down, 12, 1_000 + 25_000, 110 * MILLI);
    assertThat(all.log)
        .as("half of it where nothing waits upstream")
        .endsWith("cap aggregation1/1>edge/3 375000", "cap aggregation2/1>edge/3 2250000");
  }

  /** TR would be 3.75 Mb/s, and 2.5 at worst. */
  @Test
  void capLeavesGuarantees() {
    background(feeder);
    control.observeFeeder(feeder, 6);
    control.setFloor(feeder, 4_200_000);
    control.observePort(port, 11, 0, 0);
    control.setFloor(feeder, 3_000_000);
    control.observePort(port, 11, 0, 20 * MILLI);
    assertThat(decisions.log)
        .containsExactly("cap aggregation1/1>edge/3 4200000", "cap aggregation1/1>edge/3 3750000");
    assertThat(decisions.evidence)
        .isEqualTo("ql 11 TH 9 alpha 0.667 beta 0.750 floor 3000000 flows 1");
    control.setFloor(feeder, 9_000_000);
    control.observePort(port, 11, 0, 40 * MILLI);
    assertThat(decisions.log)
        .as("the port carries no more")
        .endsWith("cap aggregation1/1>edge/3 5000000");
  }

  /** Each of two feeders would get 5/2 (1 - 1/2) Mb/s. */
  @Test
  void sluiceCapsLeaveGuarantees() {
    Decisions all = new Decisions();
    MicroFlowControl ours = new MicroFlowControl(sluice().build(), all);
    int down = ours.addPort(DOWN, EDGE, 36, 4);
    int one = ours.addFeeder(down, UP, POD, 36);
    int other = ours.addFeeder(down, OTHER_UP, POD, 36);
    ours.observeFlow(flow(0), 10_001, new int[] {one}, 0);
    ours.observeFlow(flow(1), 10_001, new int[] {other}, 0);
    all.log.clear();
    ours.setFloor(one, 2_000_000);
    ours.observePort(down, 12, 0, MILLI);
    assertThat(all.log)
        .containsExactly("cap aggregation1/1>edge/3 2000000", "cap aggregation2/1>edge/3 1250000");
  }

  /** One has three flows by a feeder, another has one by each: two senders here, one there. */
  @Test
  void moreFlowsGiveNoLargerShare() {
    Decisions all = new Decisions();
    MicroFlowControl ours = new MicroFlowControl(sluice().build(), all);
    int down = ours.addPort(DOWN, EDGE, 36, 4);
    int one = ours.addFeeder(down, UP, POD, 36);
    int other = ours.addFeeder(down, OTHER_UP, POD, 36);
    for (int i = 0; i < 3; i++) {
      ours.observeFlow(flow(i), 10_001, 7, new int[] {one}, 0);
    }
    ours.observeFlow(flow(3), 10_001, 8, new int[] {one}, 0);
    ours.observeFlow(flow(4), 10_001, 8, new int[] {other}, 0);
    all.log.clear();
    ours.observePort(down, 9, 0, MILLI);
    assertThat(all.log)
        .containsExactly("cap aggregation1/1>edge/3 3333333", "cap aggregation2/1>edge/3 1666666");
    ours.forget(flow(0));
    ours.forget(flow(1));
    ours.observePort(down, 9, 0, 2 * MILLI);
    assertThat(all.log).as("there is one flow left").endsWith(all.log.get(0), all.log.get(1));
    ours.observeFlow(flow(2), 20_000, 7, new int[] {other}, 2 * MILLI);
    ours.observePort(down, 9, 0, 3 * MILLI);
    assertThat(all.log)
        .endsWith("cap aggregation1/1>edge/3 1666666", "cap aggregation2/1>edge/3 3333333");
  }

  @Property
  void noCapIsBelowGuarantees(
      @ForAll @Size(min = 1, max = 6) List<@LongRange(max = 8_000_000) Long> floors,
      @ForAll @IntRange(min = 9, max = 40) int length,
      @ForAll @IntRange(max = 8) int background,
      @ForAll Caps law) {
    Decisions all = new Decisions();
    MicroFlowControl any = new MicroFlowControl(sluice().caps(law).build(), all);
    int down = any.addPort(DOWN, EDGE, 36, 4);
    for (int i = 0; i < floors.size(); i++) {
      int up = any.addFeeder(down, PortId.of("up", i), POD, 36);
      any.observeFlow(flow(i), 10_001, new int[] {up}, 0);
      any.observeFeeder(up, background);
      any.setFloor(up, floors.get(i));
    }
    any.observePort(down, length, 0, MILLI);
    assertThat(all.caps).hasSize(law == Caps.NONE ? 0 : floors.size());
    all.caps.forEach(
        (name, cap) -> {
          long floor = floors.get(Integer.parseInt(name.substring(3, name.indexOf('>'))));
          assertThat(cap).isBetween(Math.min(floor, EDGE), EDGE);
        });
  }

  @Test
  void removedPortLeavesNoCap() {
    int second = control.addPort(OTHER_DOWN, EDGE, 36, 4);
    int secondFeeder = control.addFeeder(second, UP, POD, 36);
    background(feeder, secondFeeder);
    control.observePort(port, 12, 0, 0);
    control.observePort(second, 12, 0, 0);
    control.removePort(port);
    assertThat(decisions.log).endsWith("restored aggregation1/1>edge/3");
    assertThat(control.isCapped(secondFeeder)).isTrue();
    int third = control.addPort(PortId.of("edge", 5), EDGE, 36, 4);
    int thirdFeeder = control.addFeeder(third, UP, POD, 36);
    assertThat(thirdFeeder).as("the number is used again").isEqualTo(feeder);
    control.observePort(third, 12, 0, 1);
    assertThat(control.isCapped(thirdFeeder)).as("no flow passes").isFalse();
    control.forget(flow(0));
    control.observeFlow(flow(1), 10_001, new int[] {thirdFeeder}, 1);
    control.observePort(third, 12, 0, 2);
    assertThat(control.isCapped(thirdFeeder)).isTrue();
    control.restoreAll();
    assertThat(decisions.caps).isEmpty();
  }

  @Test
  void sizesOfManyFlowsAreAddedAtOnce() {
    Decisions all = new Decisions();
    MicroFlowControl ours = new MicroFlowControl(sluice().levels(3).build(), all);
    ours.ended(1_000, 300);
    ours.ended(500_000, 100);
    ours.tick(0);
    assertThat(all.log).containsExactly("levels [1023, 10000] of 400");
  }

  @Test
  void withCapsOffNothingIsCapped() {
    Decisions all = new Decisions();
    MicroFlowControl none = new MicroFlowControl(sluice().caps(Caps.NONE).build(), all);
    int down = none.addPort(DOWN, EDGE, 36, 4);
    none.observeFlow(flow(0), 10_001, new int[] {none.addFeeder(down, UP, POD, 36)}, 0);
    all.log.clear();
    none.observePort(down, 36, 0, 0);
    assertThat(all.log).isEmpty();
  }

  /** Of four levels each has as many flows end in it; at first each ends at half of the next. */
  @Test
  void levelThresholdsFollowFlowSizes() {
    Decisions all = new Decisions();
    MicroFlowControl ours = new MicroFlowControl(sluice().levels(4).build(), all);
    assertThat(sluice().levels(4).build().firstThresholdsBytes())
        .containsExactly(2_500, 5_000, 10_000);
    for (int i = 0; i < 99; i++) {
      ours.ended(flow(i), 1_000L * (1 + i % 4));
    }
    ours.tick(0);
    assertThat(all.log).as("99 flows are no evidence").isEmpty();
    for (int i = 0; i < 25; i++) {
      ours.ended(flow(i), 1_000_000);
    }
    ours.tick(1_000 * MILLI - 1);
    assertThat(all.log).isEmpty();
    ours.tick(1_000 * MILLI);
    // A fifth is of each size: a quarter ends in 2000, a half in 3000, and bins at 2047, 3071.
    assertThat(all.log).containsExactly("levels [2047, 3071, 10000] of 114");
    ours.tick(2_000 * MILLI);
    assertThat(all.log).as("no change").hasSize(1);
    for (int i = 0; i < 1_000; i++) {
      ours.ended(flow(i), 1_000_000);
    }
    ours.tick(3_000 * MILLI);
    assertThat(all.log).endsWith("levels [1048575, 1048575, 1048575] of 1092");
    ours.observeFlow(flow(0), 1_048_575, new int[0], 3_000 * MILLI);
    assertThat(ours.backgroundFlows()).as("still above no threshold").isZero();
  }

  private static MicroFlowParameters.Builder sluice() {
    return MicroFlowParameters.builder()
        .caps(Caps.SLUICE)
        .roundTripNanos(29 * MILLI)
        .backgroundBytes(10_000);
  }

  @Test
  void flowIsBackgroundAboveTheThresholdUntilItEnds() {
    control.observeFlow(flow(1), 10_000, new int[] {feeder}, 0);
    assertThat(control.backgroundFlows()).isZero();
    control.observeFlow(flow(1), 10_001, new int[] {feeder}, 0);
    control.observeFlow(flow(1), 20_000, new int[] {feeder}, 0);
    control.ended(flow(1), 20_000);
    control.ended(flow(1), 20_000);
    assertThat(decisions.log).containsExactly("background " + flow(1), "forgotten " + flow(1));
    control.observePort(port, 12, 0, 0);
    assertThat(control.isCapped(feeder)).isFalse();
  }

  @Test
  void idleFlowExpires() {
    control.observeFlow(flow(1), 10_001, new int[] {feeder}, 0);
    control.observeFlow(flow(2), 10_001, new int[] {feeder}, 0);
    control.observeFlow(flow(2), 12_000, new int[] {feeder}, 600 * MILLI);
    control.tick(999 * MILLI);
    assertThat(control.backgroundFlows()).isEqualTo(2);
    control.tick(1_250 * MILLI);
    assertThat(decisions.log).endsWith("forgotten " + flow(1));
    assertThat(control.backgroundFlows()).isEqualTo(1);
  }

  @Test
  void reroutedFlowCountsOnItsNewPath() {
    int other = control.addFeeder(port, OTHER_UP, POD, 36);
    background(feeder);
    control.observeFlow(flow(0), 20_000, new int[] {other}, 0);
    control.observePort(port, 12, 0, 0);
    assertThat(control.isCapped(feeder)).isFalse();
    assertThat(control.isCapped(other)).isTrue();
  }

  @Test
  void fullTableRejectsAndCountsFlows() {
    for (int i = 0; i < 60; i++) {
      control.observeFlow(flow(i), 10_001, new int[] {feeder}, 0);
    }
    assertThat(control.backgroundFlows()).isEqualTo(50);
    assertThat(control.refusedFlows()).isEqualTo(10);
    control.ended(flow(0), 20_000);
    control.observeFlow(flow(55), 10_001, new int[] {feeder}, 0);
    assertThat(control.backgroundFlows()).isEqualTo(50);
  }

  /** Each number is a queue's length, every 5 ms; the feeder's follows. */
  @Property(tries = 200)
  void capKeepsItsFloorAndEnds(
      @ForAll @Size(max = 200) List<@IntRange(max = 40) Integer> lengths,
      @ForAll @IntRange(max = 40) int background) {
    Decisions all = new Decisions();
    MicroFlowControl any = new MicroFlowControl(PARAMETERS, all);
    int down = any.addPort(DOWN, EDGE, 36, 4);
    int up = any.addFeeder(down, UP, POD, 36);
    any.observeFlow(flow(0), 10_001, new int[] {up}, 0);
    long now = 0;
    long lastHit = Long.MIN_VALUE;
    long step = 5 * MILLI;
    for (int length : lengths) {
      if (now >= any.nextProbeNanos(down)) {
        any.observeFeeder(up, background);
        any.observePort(down, length, 0, now);
        lastHit = length >= 9 ? now : lastHit;
        assertThat(any.nextProbeNanos(down) - now).isBetween(29 * MILLI / 2, 50 * MILLI);
      }
      any.tick(now);
      if (any.isCapped(up)) {
        assertThat(now - lastHit).isLessThan(TIMEOUT);
      }
      now += step;
    }
    any.tick(now + TIMEOUT);
    assertThat(any.isCapped(up)).isFalse();
    assertThat(all.caps).isEmpty();
    assertThat(all.least).isGreaterThanOrEqualTo(EDGE / 2);
  }

  @Property(tries = 200)
  void tableIsBoundedAndConsistent(
      @ForAll @Size(max = 300) List<@IntRange(max = 199) Integer> events) {
    Decisions all = new Decisions();
    MicroFlowControl any = new MicroFlowControl(PARAMETERS, all);
    int[] path = {any.addFeeder(any.addPort(DOWN, EDGE, 36, 4), UP, POD, 36)};
    Map<FlowKey, Boolean> known = new HashMap<>();
    long refused = 0;
    for (int event : events) {
      FlowKey flow = flow(event % 100);
      if (event < 100) {
        any.ended(flow, 20_000);
        known.remove(flow);
      } else {
        any.observeFlow(flow, 20_000, path, 0);
        boolean fits = known.containsKey(flow) || known.size() < 50;
        refused += fits ? 0 : 1;
        if (fits) {
          known.put(flow, true);
        }
      }
      assertThat(any.backgroundFlows()).isEqualTo(known.size()).isLessThanOrEqualTo(50);
    }
    assertThat(any.refusedFlows()).isEqualTo(refused);
    any.observePort(0, 12, 0, 0);
    assertThat(any.isCapped(path[0])).isEqualTo(!known.isEmpty());
  }

  /** 80 ports with two feeders each and 50 flows, all of them capped and restored. */
  @Test
  void steadyStateAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    MicroFlowControl large = new MicroFlowControl(PARAMETERS, new Silent());
    int[] path = new int[160];
    for (int i = 0; i < 80; i++) {
      int down = large.addPort(PortId.of("down", i), EDGE, 36, 4);
      path[2 * i] = large.addFeeder(down, PortId.of("up", i), POD, 36);
      path[2 * i + 1] = large.addFeeder(down, PortId.of("other", i), POD, 36);
    }
    List<FlowKey> keys = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      keys.add(flow(i));
    }
    long least = Long.MAX_VALUE;
    long now = 0;
    for (int batch = 0; batch < 20 && least > 0; batch++) {
      long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
      for (int round = 0; round < 50; round++) {
        now += 15 * MILLI;
        for (int i = 0; i < keys.size(); i++) {
          large.observeFlow(keys.get(i), 20_000, path, now);
        }
        for (int i = 0; i < 80; i++) {
          large.observeFeeder(path[2 * i], round % 12);
          large.observePort(i, round % 20 < 10 ? 12 : 0, 0, now);
        }
        large.tick(now);
      }
      long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
      least = Math.min(least, bytes);
    }
    assertThat(least).isZero();
    assertThat(large.isCapped(path[0])).as("there was something to do").isTrue();
  }

  private static final class Silent implements CapSink {
    @Override
    public void cap(CapDraft cap) {}

    @Override
    public void restored(PortId upstream, PortId downstream) {}

    @Override
    public void background(FlowKey flow) {}

    @Override
    public void forgotten(FlowKey flow) {}

    @Override
    public void levels(long[] thresholdsBytes, long flows) {}
  }
}
