// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sluice.onos.testing.Waiting.until;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.net.device.DefaultPortStatistics;
import org.onosproject.net.device.DeviceServiceAdapter;
import org.onosproject.net.device.PortStatistics;
import org.sluice.api.PortId;
import org.sluice.api.SluiceException;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterSource;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.counters.SwitchCounters;
import org.sluice.onos.registry.FixedCapacities;
import org.sluice.onos.testing.OnosWorld;
import org.sluice.onos.testing.SluiceNode;

class CounterRunnerTest {
  private static final String S1 = "of:0000000000000001";
  private static final String S2 = "of:0000000000000002";
  private static final PortId S1_PORT = PortId.of(S1, 5);
  private static final long CAPACITY = 50_000_000;

  private final OnosWorld world = new OnosWorld();
  private final SluiceNode node = new SluiceNode(world);
  private final List<Reader> readers = new CopyOnWriteArrayList<>();
  private final List<MeterSample> heard = new CopyOnWriteArrayList<>();
  private final CounterRunner runner = new CounterRunner(this::start, 0);
  private volatile boolean portIsTaken;
  private boolean active;

  private static final class Reader implements CounterReader {
    final int port;
    final CounterListener listener;
    final Map<String, CounterTargets> read = new ConcurrentSkipListMap<>();
    final Set<String> connected = ConcurrentHashMap.newKeySet();
    final List<PortId> watched = new CopyOnWriteArrayList<>();
    volatile boolean closed;

    Reader(int port, CounterListener listener) {
      this.port = port;
      this.listener = listener;
    }

    @Override
    public int port() {
      return port;
    }

    @Override
    public void read(String datapath, CounterTargets targets) {
      read.put(datapath, targets);
    }

    @Override
    public void stopReading(String datapath) {
      read.remove(datapath);
    }

    @Override
    public void watch(PortId watchedPort, long forNanos) {
      watched.add(watchedPort);
    }

    @Override
    public boolean isConnected(String datapath) {
      return connected.contains(datapath);
    }

    @Override
    public List<SwitchCounters> switches() {
      return connected.stream()
          .map(name -> SwitchCounters.builder(name).connected(true).build())
          .collect(Collectors.toList());
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private CounterReader start(int port, CounterListener listener) throws SluiceException {
    if (portIsTaken) {
      throw new SluiceException(
          SluiceException.Kind.UNAVAILABLE, "fastCountersPort", "6654", "It is taken", "Free it");
    }
    Reader reader = new Reader(port, listener);
    readers.add(reader);
    return reader;
  }

  @BeforeEach
  void start() {
    world.switches.connect("s1", 1, 5);
    world.switches.connect("s2", 1, 5);
    world.switches.link("s1/5", "s2/5");
    node.start();
    runner.settings = node.manager;
    runner.devices = world.devices;
    runner.mastership = world.mastership;
    runner.links = world.links;
    runner.flows = world.flows;
    runner.capacities = new FixedCapacities(CAPACITY, S1_PORT, PortId.of(S2, 5));
    runner.chronicle = node.journal;
    runner.addListener(
        new CounterListener() {
          @Override
          public void portRead(PortSample sample) {}

          @Override
          public void meterRead(MeterSample sample) {
            heard.add(sample);
          }
        });
  }

  @AfterEach
  void stop() {
    if (active) {
      runner.deactivate();
    }
    node.stop();
    world.close();
  }

  private void activateRunner() {
    runner.activate();
    active = true;
  }

  private Reader activate() {
    activateRunner();
    until(() -> assertThat(readers).isNotEmpty());
    return readers.get(0);
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
  void readsThePortsAndMarkMetersOfItsSwitches() {
    Reader reader = activate();

    assertThat(runner.listenPort()).hasValue(6654);
    until(
        () -> {
          world.switches.poll();
          assertThat(reader.read.keySet()).containsExactly(S1, S2);
          CounterTargets targets = reader.read.get(S1);
          assertThat(targets.portCapacities()).containsOnly(Map.entry(5L, CAPACITY));
          assertThat(targets.markMeters().values()).containsExactly(5L);
        });
  }

  @Test
  void anotherMastersSwitchIsLeftToIt() {
    Reader reader = activate();
    until(() -> assertThat(reader.read.keySet()).containsExactly(S1, S2));

    world.loseMastership("s1");
    until(() -> assertThat(reader.read.keySet()).containsExactly(S2));
    until(() -> assertThat(source(S1)).isEqualTo(CounterSource.NONE));

    world.gainMastership("s1");
    until(() -> assertThat(reader.read.keySet()).containsExactly(S1, S2));
  }

  @Test
  void aSwitchWithoutConnectionIsSlowAndTheJournalSaysWhatToDo() {
    Reader reader = activate();
    until(() -> assertThat(source(S1)).isEqualTo(CounterSource.SLOW));
    until(() -> assertThat(journal()).anyMatch(line -> line.contains("sluice-switch-setup")));

    reader.connected.add(S1);
    until(() -> assertThat(source(S1)).isEqualTo(CounterSource.FAST));
    until(() -> assertThat(journal()).contains("Counters of " + S1 + " are fast; it connected"));
    assertThat(journal().stream().filter(line -> line.contains(S1 + " are slow"))).hasSize(1);
  }

  @Test
  void marksDrawAttentionToThePortTheyComeFrom() {
    Reader reader = activate();
    until(
        () -> {
          world.switches.poll();
          assertThat(reader.read).containsKey(S2);
          assertThat(reader.read.get(S2).markMeters()).hasSize(1);
        });
    long meter = reader.read.get(S2).markMeters().keySet().iterator().next();

    reader.listener.meterRead(MeterSample.of(S2, meter, 0, 0, 1));
    assertThat(reader.watched).isEmpty();
    reader.listener.meterRead(MeterSample.of(S2, meter, 3, 4500, 1));
    assertThat(reader.watched).containsExactly(S1_PORT);
    assertThat(heard).hasSize(2);
  }

  @Test
  void followsItsParameters() {
    Reader first = activate();
    node.set("fastCountersPort", "7000");
    until(() -> assertThat(readers).hasSize(2));
    assertThat(first.closed).isTrue();
    assertThat(readers.get(1).port).isEqualTo(7000);

    node.set("fastCounters", "off");
    until(() -> assertThat(readers.get(1).closed).isTrue());
    until(() -> assertThat(runner.listenPort()).isEmpty());
    until(() -> assertThat(source(S1)).isEqualTo(CounterSource.SLOW));
  }

  @Test
  void aPortThatIsTakenIsNamedOnceAndTriedAgain() {
    portIsTaken = true;
    activateRunner();
    until(() -> assertThat(journal()).anyMatch(line -> line.contains("fastCountersPort '6654'")));

    portIsTaken = false;
    until(() -> assertThat(readers).hasSize(1));
    assertThat(journal().stream().filter(line -> line.contains("It is taken"))).hasSize(1);
  }

  @Test
  void stoppingClosesTheReader() {
    Reader reader = activate();
    runner.deactivate();
    active = false;

    assertThat(reader.closed).isTrue();
  }

  @Test
  void whatOnosReadIsASampleToo() {
    List<PortStatistics> deltas = new ArrayList<>();
    DeviceId device = DeviceId.deviceId(S1);
    deltas.add(statistics(device, 5, 1000, 5));
    deltas.add(statistics(device, 6, -1, 5));
    deltas.add(statistics(device, 7, 1000, 0));
    DeviceServiceAdapter devices =
        new DeviceServiceAdapter() {
          @Override
          public List<PortStatistics> getPortDeltaStatistics(DeviceId id) {
            return deltas;
          }
        };

    List<PortSample> samples = SlowCounters.read(devices, device);

    assertThat(samples).hasSize(1);
    assertThat(samples.get(0).port()).isEqualTo(S1_PORT);
    assertThat(samples.get(0).rxBytes()).isEqualTo(1000);
    assertThat(samples.get(0).intervalNanos()).isEqualTo(5_000_000_000L);
  }

  private static PortStatistics statistics(
      DeviceId device, long port, long count, long durationSeconds) {
    return DefaultPortStatistics.builder()
        .setDeviceId(device)
        .setPort(PortNumber.portNumber(port))
        .setPacketsReceived(count)
        .setBytesReceived(count)
        .setPacketsSent(count)
        .setBytesSent(count)
        .setDurationSec(durationSeconds)
        .build();
  }
}
