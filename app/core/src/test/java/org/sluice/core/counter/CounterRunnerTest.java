// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.core.testing.Samples.datapath;
import static org.sluice.core.testing.Samples.port;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.core.registry.FixedCapacities;
import org.sluice.core.testing.FakeCounters;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

class CounterRunnerTest {
  private static final String S1 = datapath("s1");
  private static final String S2 = datapath("s2");
  private static final PortId S1_PORT = port("s1/5");
  private static final long CAPACITY = 50_000_000;
  private static final long METER = 3;

  private final MemoryNetwork network =
      new MemoryNetwork().connect("s1", 1, 5).connect("s2", 1, 5).link("s1/5", "s2/5");
  private final MemoryNode node = new MemoryNode(network, "n1");
  private final FakeCounters switches = node.counters;
  private final List<MeterSample> metersRead = new ArrayList<>();
  private final List<PortSample> portsRead = new ArrayList<>();
  private final CounterRunner runner =
      new CounterRunner(
          node.settings,
          node,
          new FixedCapacities(Map.of(S1_PORT, CAPACITY, port("s2/5"), CAPACITY)),
          node.journal,
          network.time,
          switches);

  @BeforeEach
  void prepare() {
    network.setMaster("s1", "n1");
    network.setMaster("s2", "n1");
    switches.markMeters.put(S1, Map.of(METER, 5L));
    switches.markMeters.put(S2, Map.of(METER, 5L));
    runner.addListener(
        new CounterListener() {
          @Override
          public void portRead(PortSample sample) {
            portsRead.add(sample);
          }

          @Override
          public void meterRead(MeterSample sample) {
            metersRead.add(sample);
          }
        });
  }

  private void start() {
    runner.start();
    pass();
  }

  /** Lets the runner follow what changed. */
  private void pass() {
    network.time.advanceMillis(1);
  }

  private void set(Object... namesAndValues) {
    node.set(namesAndValues);
    pass();
  }

  private List<String> journal() {
    return node.journal.entries(-1, Optional.empty(), 100).stream()
        .map(entry -> entry.decision() + "; " + entry.evidence())
        .collect(Collectors.toList());
  }

  private CounterSource source(String datapath) {
    return runner.switches().stream()
        .filter(one -> one.datapath().equals(datapath))
        .findFirst()
        .map(SwitchCounters::source)
        .orElse(null);
  }

  @Test
  void readsPortsAndMarkMetersOfSwitchesItIsMasterOf() {
    start();

    assertThat(runner.listenPort()).hasValue(6654);
    assertThat(switches.targets.keySet()).containsExactly(S1, S2);
    CounterTargets targets = switches.targets.get(S1);
    assertThat(targets.portCapacities()).containsOnly(Map.entry(5L, CAPACITY));
    assertThat(targets.markMeters().values()).containsExactly(5L);
    assertThat(runner.markMeters()).isEqualTo(Map.of(S1, Map.of(METER, 5L), S2, Map.of(METER, 5L)));
  }

  @Test
  void metersAddedLaterAreReadWithinSeconds() {
    switches.markMeters.remove(S1);
    start();
    assertThat(switches.targets.get(S1).markMeters()).isEmpty();

    switches.markMeters.put(S1, Map.of(METER, 5L));
    network.time.advanceMillis(6_000);

    assertThat(switches.targets.get(S1).markMeters().values()).containsExactly(5L);
  }

  @Test
  void switchOfAnotherMasterIsNotRead() {
    start();
    assertThat(switches.targets.keySet()).containsExactly(S1, S2);

    network.setMaster("s1", "n2");
    pass();
    assertThat(switches.targets.keySet()).containsExactly(S2);
    assertThat(source(S1)).isEqualTo(CounterSource.NONE);
    assertThat(runner.markMeters()).containsOnlyKeys(S2);

    network.setMaster("s1", "n1");
    pass();
    assertThat(switches.targets.keySet()).containsExactly(S1, S2);
  }

  @Test
  void disconnectedSwitchIsNotRead() {
    start();
    network.disconnect("s1");
    pass();
    assertThat(switches.targets.keySet()).containsExactly(S2);
    assertThat(runner.switches()).extracting(SwitchCounters::datapath).containsExactly(S2);
  }

  @Test
  void switchWithoutFastConnectionIsReportedSlowWithARemedy() {
    start();
    assertThat(source(S1)).isEqualTo(CounterSource.SLOW);
    network.time.advanceNanos(CounterRunner.CONNECT_GRACE_NANOS - TimeUnit.SECONDS.toNanos(1));
    assertThat(journal()).isEmpty();
    network.time.advanceMillis(2_000);
    assertThat(journal())
        .hasSize(2)
        .allMatch(line -> line.contains("sluice-switch-setup"))
        .allMatch(line -> line.contains("TCP port 6654"));

    switches.connected.add(S1);
    network.time.advanceMillis(60_000);
    assertThat(source(S1)).isEqualTo(CounterSource.FAST);
    assertThat(source(S2)).isEqualTo(CounterSource.SLOW);
    assertThat(journal()).contains("Counters of " + S1 + " are fast; it connected");
    assertThat(journal().stream().filter(line -> line.contains(S1 + " are slow"))).hasSize(1);
    assertThat(journal()).hasSize(3);
  }

  @Test
  void platformCountersAreUsedUntilFastCountersAreAvailable() {
    start();
    PortSample polled = PortSample.builder(S1_PORT).txPackets(40).intervalNanos(1).build();
    switches.poll(polled);
    assertThat(portsRead).containsExactly(polled);

    switches.connected.add(S1);
    network.time.advanceMillis(1_000);
    switches.poll(polled);
    assertThat(portsRead).hasSize(1);
    switches.read(polled);
    assertThat(portsRead).hasSize(2);

    network.setMaster("s1", "n2");
    pass();
    switches.poll(polled);
    assertThat(portsRead).hasSize(2);
  }

  @Test
  void marksAtAMeterMakeTheUpstreamPortWatched() {
    start();
    assertThat(switches.targets.get(S2).markMeters()).hasSize(1);

    switches.read(MeterSample.of(S2, METER, 0, 0, 1));
    assertThat(switches.watched).isEmpty();
    switches.read(MeterSample.of(S2, METER, 3, 4500, 1));
    assertThat(switches.watched).containsExactly(S1_PORT);
    assertThat(metersRead).hasSize(2);
  }

  @Test
  void appliesChangedParameters() {
    start();
    set("fastCountersPort", "7000");
    assertThat(switches.opened).containsExactly(6654, 7000);
    assertThat(switches.isOpen()).isTrue();
    assertThat(runner.listenPort()).hasValue(7000);
    assertThat(switches.targets.keySet()).containsExactly(S1, S2);

    set("fastCounters", "off");
    assertThat(switches.isOpen()).isFalse();
    assertThat(runner.listenPort()).isEmpty();
    assertThat(source(S1)).isEqualTo(CounterSource.SLOW);
  }

  @Test
  void occupiedTcpPortIsReportedOnceAndRetried() {
    switches.refuse(3);
    start();
    assertThat(journal()).singleElement().asString().contains("fastCountersPort '6654'");
    assertThat(source(S1)).isEqualTo(CounterSource.SLOW);

    network.time.advanceMillis(14_000);
    assertThat(switches.isOpen()).isFalse();
    network.time.advanceMillis(2_000);
    assertThat(switches.isOpen()).isTrue();
    assertThat(journal().stream().filter(line -> line.contains("The port is taken"))).hasSize(1);
  }

  @Test
  void stoppingClosesTheReader() {
    start();
    runner.stop();

    assertThat(switches.isOpen()).isFalse();
    network.time.advanceMillis(20_000);
    assertThat(switches.opened).hasSize(1);
    switches.poll(PortSample.builder(S1_PORT).intervalNanos(1).build());
    assertThat(portsRead).isEmpty();
  }
}
