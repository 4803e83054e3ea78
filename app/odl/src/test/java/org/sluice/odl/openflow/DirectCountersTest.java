// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterReader;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.testing.Samples;
import org.sluice.core.testing.VirtualTime;
import org.sluice.forwarding.testing.MemoryFabric;

class DirectCountersTest {
  private static final String S1 = Samples.datapath("s1");
  private static final String S2 = Samples.datapath("s2");

  private final MemoryFabric fabric = new MemoryFabric();
  private final VirtualTime time = fabric.time;
  private final FakeSwitches switches = new FakeSwitches(time);
  private final FakeSwitches.One s1 = switches.get("s1");
  private final List<PortSample> ports = new ArrayList<>();
  private final List<MeterSample> meters = new ArrayList<>();
  private final CounterListener listener =
      new CounterListener() {
        @Override
        public void portRead(PortSample sample) {
          ports.add(sample);
        }

        @Override
        public void meterRead(MeterSample sample) {
          meters.add(sample);
        }
      };
  private final DirectCounters counters =
      new DirectCounters(switches.mdsal, fabric.switches(), time, listener);

  @BeforeEach
  void connect() {
    for (String name : List.of("s1", "s2")) {
      fabric.connect(name, 1, 2);
      switches.get(name).portPackets.putAll(Map.of(1L, 0L, 2L, 0L));
    }
  }

  /** A port passes one packet in a millisecond. */
  private void pass(long millis) {
    for (long i = 0; i < millis; i++) {
      s1.portPackets.merge(1L, 1L, Long::sum);
      time.advanceMillis(1);
    }
  }

  private void read(String datapath) {
    counters.read(datapath, CounterTargets.of(Map.of(1L, 0L), Map.of()));
  }

  private SwitchCounters status() {
    return counters.switches().get(0);
  }

  @Test
  void needsNoPortOfItsOwn() {
    assertThat(counters.port()).isEqualTo(CounterReader.NO_PORT);
    assertThat(counters.isConnected(S1)).isTrue();
    fabric.disconnect("s1");
    assertThat(counters.isConnected(S1)).isFalse();
  }

  @Test
  void aSampleIsTheDifferenceOfTwoReadings() {
    read(S1);
    pass(1000);

    assertThat(ports).hasSizeBetween(8, 11);
    PortSample sample = ports.get(3);
    assertThat(sample.port()).isEqualTo(Samples.port("s1/1"));
    assertThat(sample.rxPackets()).isEqualTo(sample.intervalNanos() / 1_000_000);
    assertThat(sample.txDroppedPackets()).isEqualTo(PortSample.NOT_COUNTED);
    assertThat(status().requests() - status().replies()).isBetween(0L, 1L);
    assertThat(status().timeouts()).isZero();
    assertThat(status().replyMicrosP50()).isEqualTo(1000);
  }

  @Test
  void aMeterThatCountsMarksIsReadEvery5Millis() {
    SwitchTables tables = new SwitchTables(switches.mdsal, fabric.switches(), fabric, fabric, time);
    tables.start();
    long meter = tables.meters().add(S1, 2_000_000_000L, 2_000_000, reason -> {});
    time.advanceMillis(10);
    counters.read(S1, CounterTargets.of(Map.of(1L, 0L), Map.of(meter, 1L)));
    pass(1000);

    assertThat(meters).hasSizeGreaterThan(100);
    assertThat(meters.get(50).packets()).isBetween(4L, 8L);
  }

  @Test
  void aWatchedPortIsReadFast() {
    read(S1);
    pass(500);
    ports.clear();
    counters.watch(Samples.port("s1/1"), 100_000_000);
    pass(100);

    assertThat(ports).hasSizeGreaterThan(15);
  }

  @Test
  void whatASwitchDoesNotHaveIsAskedForSeldom() {
    counters.read(S1, CounterTargets.of(Map.of(77L, 0L), Map.of()));
    pass(10_000);

    assertThat(s1.calls.get("GetNodeConnectorStatisticsInput")).isLessThan(20);
  }

  @Test
  void oneRequestIsUnderWayAndASilentSwitchDelaysNoOther() {
    s1.answers = false;
    read(S1);
    read(S2);
    pass(5000);

    assertThat(ports).isNotEmpty().allMatch(sample -> sample.port().datapath().equals(S2));
    assertThat(s1.calls.get("GetNodeConnectorStatisticsInput")).isBetween(3, 10);
    s1.answers = true;
    ports.clear();
    pass(5000);
    assertThat(ports).anyMatch(sample -> sample.port().datapath().equals(S1));
  }

  @Test
  void readingGoesOnWhenASwitchReturns() {
    read(S1);
    pass(500);
    switches.disconnect("s1");
    pass(2000);
    switches.connect("s1");
    ports.clear();
    pass(5000);

    assertThat(ports).isNotEmpty();
  }

  @Test
  void nothingIsReadOnceReadingStops() {
    read(S1);
    pass(500);
    counters.stopReading(S1);
    pass(10);
    ports.clear();
    pass(1000);

    assertThat(ports).isEmpty();
    assertThat(counters.switches()).isEmpty();
  }
}
