// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.PortStatus.MarkSource;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.marks.Signals;
import org.sluice.engine.path.Path;
import org.sluice.engine.path.Path.Hop;

/**
 * What a receiver's host marks is the receive port's alone, whoever reports the network's marks.
 */
class ReceivePortTest {
  private static final PortId RECEIVER = PortId.ofReceiver(HostId.of("h9"), "vm0");
  private static final long CAPACITY = 40 * EngineFixture.MBIT;

  private EngineFixture fixture;

  /** Senders 1 and 2 over port 1 (1000 Mbit/s), which reports nothing itself, to endpoint 9. */
  private void build(Signals signals) {
    fixture = new EngineFixture(EngineParameters.DEFAULTS.withSignals(signals));
    fixture.portOf(1, 1000).endpointAt(9);
    fixture.engine.putPort(RECEIVER, CAPACITY, CapacitySource.CONFIGURED);
    Path path = Path.of(List.of(Hop.of(EngineFixture.port(1)), Hop.of(RECEIVER)), false);
    for (int n = 1; n <= 2; n++) {
      fixture.endpointAt(n, n).path(n, 9, path);
    }
  }

  private void period(long packets, long onPath, long atReceiver) {
    for (int n = 1; n <= 2; n++) {
      fixture.traffic(n, 9, packets, onPath);
    }
    fixture.engine.observe(
        PortQueueObservation.of(
            EngineFixture.host(9),
            fixture.now(),
            5 * EngineFixture.MILLIS,
            List.of(
                PortQueueSample.of(
                    RECEIVER, 2 * packets, 2 * packets * 1500, 0, 2 * atReceiver, 0, 0, 0))));
    fixture.tick();
  }

  private PortStatus receiver() {
    return fixture.engine.portStatuses().stream()
        .filter(status -> status.id().equals(RECEIVER))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(Signals.class)
  void reportsOfItsHostCountWhateverTheSignalsSetting(Signals signals) {
    build(signals);
    for (int i = 0; i < 30; i++) {
      period(10, 0, 3);
    }

    assertThat(receiver().marksFrom()).contains(MarkSource.PORTS);
    assertThat(receiver().congested()).isTrue();
    assertThat(receiver().ceShare()).isBetween(0.29, 0.31);
    assertThat(receiver().unitShareBitsPerSecond()).isEqualTo(Math.round(0.985 * CAPACITY / 3));
    assertThat(fixture.status(1).ceShare()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"AUTO", "HOSTS"})
  void marksOfThePathAreNotAttributedToIt(Signals signals) {
    build(signals);
    for (int i = 0; i < 30; i++) {
      period(10, 2, 0);
    }
    assertThat(receiver().ceShare()).isZero();
    assertThat(fixture.status(1).congested()).isTrue();
    assertThat(fixture.status(1).ceShare()).isBetween(0.19, 0.21);

    for (int i = 0; i < 30; i++) {
      period(10, 2, 4);
    }
    assertThat(fixture.status(1).ceShare()).isBetween(0.19, 0.21);
    assertThat(receiver().ceShare()).isBetween(0.39, 0.41);
  }
}
