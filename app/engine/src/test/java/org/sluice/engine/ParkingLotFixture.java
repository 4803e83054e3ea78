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
 * Marks that switches and port agents tell of, in a parking lot: switch a leads to b by a/1, b to c
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

  EngineFixture rig;

  final void lot(Signals signals) {
    lot(EngineParameters.DEFAULTS.withSignals(signals));
  }

  final void lot(EngineParameters parameters) {
    rig = new EngineFixture(parameters);
    for (PortId port : List.of(A1, B1, B2)) {
      rig.engine.putPort(port, 50 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    }
    for (PortId port : List.of(C2, D2)) {
      rig.engine.putPort(port, 1000 * EngineFixture.MBIT, CapacitySource.CONFIGURED);
    }
    for (int n : new int[] {1, 2, 3, 7, 9}) {
      rig.endpointAt(n);
    }
    rig.path(1, 9, path(A1, B1, C2)).path(2, 9, path(B1, C2)).path(3, 7, path(A1, B2, D2));
    rig.engine.setLinks(
        Map.of(A1, PortId.of("b", 10), B1, PortId.of("c", 10), B2, PortId.of("d", 10)));
    Map<Long, Long> meter = Map.of(1L, 10L);
    rig.engine.setMarkMeters(Map.of("b", meter, "c", meter, "d", meter));
    rig.tick();
  }

  static Path path(PortId... ports) {
    List<Path.Hop> hops = new ArrayList<>();
    for (PortId port : ports) {
      hops.add(Path.Hop.of(port));
    }
    return Path.of(hops, false);
  }

  final void meter(String datapath, long marks) {
    meter(datapath, marks, rig.now());
  }

  final void meter(String datapath, long marks, long received) {
    rig.engine.observe(MeterSample.of(datapath, 1, marks, marks * 1500, PERIOD), received);
  }

  final void port(PortId port, long packets) {
    rig.engine.observe(
        PortSample.builder(port).txPackets(packets).intervalNanos(PERIOD).build(), rig.now());
  }

  final void queue(PortId port, long sent, long over) {
    rig.engine.observe(
        PortQueueObservation.of(
            EngineFixture.host(99),
            rig.now(),
            PERIOD,
            List.of(PortQueueSample.of(port, sent, sent * 1500, 0, over, 0, 0, 0))));
  }

  final PortStatus status(PortId port) {
    return rig.engine.portStatuses().stream()
        .filter(status -> status.id().equals(port))
        .findFirst()
        .orElseThrow(AssertionError::new);
  }

  final long marks(PortId port) {
    return rig.engine.world.ports.marks[rig.engine.world.ports.find(port)];
  }

  /** Senders' hosts tell of packets in a period: nobody tells of what arrives. */
  final void send(int from, int to, long packets) {
    rig.observe(from, EngineFixture.sent(from, to, packets));
  }
}
