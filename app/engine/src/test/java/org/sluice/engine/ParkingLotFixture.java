// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.marks.Signals;
import org.sluice.engine.path.Path;

/**
 * Marks that switches and port agents report, in a parking lot: switch a leads to b by a/1, b to c
 * by b/1 and to d by b/2; endpoint 9 is behind c/2, 7 behind d/2. Endpoints 1 and 3 send from a, 2
 * from b. Meter 1 of b, c and d counts what enters by port 10.
 */
abstract class ParkingLotFixture {
  static final PortId A1 = PortId.of("a", 1);
  static final PortId B1 = PortId.of("b", 1);
  static final PortId B2 = PortId.of("b", 2);
  static final PortId C2 = PortId.of("c", 2);
  static final PortId D2 = PortId.of("d", 2);
  static final long PERIOD = 5 * EngineFixture.MILLIS;

  EngineFixture fixture;

  final void lot(Signals signals) {
    lot(EngineParameters.DEFAULTS.withSignals(signals));
  }

  final void lot(EngineParameters parameters) {
    fixture = new EngineFixture(parameters);
    for (PortId port : List.of(A1, B1, B2)) {
      fixture.engine.putPort(port, 50 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    }
    for (PortId port : List.of(C2, D2)) {
      fixture.engine.putPort(port, 1000 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    }
    for (int n : new int[] {1, 2, 3, 7, 9}) {
      fixture.endpointAt(n);
    }
    fixture.path(1, 9, path(A1, B1, C2)).path(2, 9, path(B1, C2)).path(3, 7, path(A1, B2, D2));
    fixture.engine.setLinks(
        Map.of(A1, PortId.of("b", 10), B1, PortId.of("c", 10), B2, PortId.of("d", 10)));
    Map<Long, Long> meter = Map.of(1L, 10L);
    fixture.engine.setMarkMeters(Map.of("b", meter, "c", meter, "d", meter));
    fixture.tick();
  }

  static Path path(PortId... ports) {
    List<Path.Hop> hops = new ArrayList<>();
    for (PortId port : ports) {
      hops.add(Path.Hop.of(port));
    }
    return Path.of(hops, false);
  }

  final void meter(String datapath, long marks) {
    meter(datapath, marks, fixture.now());
  }

  final void meter(String datapath, long marks, long received) {
    fixture.engine.observe(MeterSample.of(datapath, 1, marks, marks * 1500, PERIOD), received);
  }

  final void port(PortId port, long packets) {
    fixture.engine.observe(
        PortSample.builder(port).txPackets(packets).intervalNanos(PERIOD).build(), fixture.now());
  }

  final void queue(PortId port, long sent, long over) {
    fixture.engine.observe(
        PortQueueObservation.of(
            EngineFixture.host(99),
            fixture.now(),
            PERIOD,
            List.of(PortQueueSample.of(port, sent, sent * 1500, 0, over, 0, 0, 0))));
  }

  final PortStatus status(PortId port) {
    return fixture.engine.portStatuses().stream()
        .filter(status -> status.id().equals(port))
        .findFirst()
        .orElseThrow(AssertionError::new);
  }

  final long marks(PortId port) {
    return fixture.engine.state.ports.marks[fixture.engine.state.ports.find(port)];
  }

  /** Senders' hosts report packets of a period: what arrives is not reported. */
  final void send(int from, int to, long packets) {
    fixture.observe(from, EngineFixture.sent(from, to, packets));
  }
}
