// SPDX-License-Identifier: Apache-2.0
package org.sluice.polling;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;

/** Makes samples of the readings of a switch's ports. Not thread-safe. */
public final class PortSamples {
  private static final int RX_PACKETS = 0;
  private static final int RX_BYTES = 1;
  private static final int TX_PACKETS = 2;
  private static final int TX_BYTES = 3;
  private static final int TX_DROPPED = 4;

  /** A counter that the switch does not have; OpenFlow 1.3.5, section 7.3.5.6. */
  private static final long UNSUPPORTED = -1;

  private final String datapath;
  private final Map<Long, Counters> ports = new HashMap<>();

  public PortSamples(String datapath) {
    this.datapath = datapath;
  }

  /**
   * Takes a reading.
   *
   * @param nowNanos the local clock
   * @return what went through the port since the reading before; empty: there was none, or it makes
   *     no sense beside this one
   */
  public Optional<PortSample> read(Reading reading, long nowNanos) {
    boolean countsDrops = reading.counters()[TX_DROPPED] != UNSUPPORTED;
    return ports
        .computeIfAbsent(reading.number(), n -> new Counters())
        .read(reading.counters(), reading.aliveSeconds(), reading.aliveNanos(), nowNanos)
        .map(
            added ->
                PortSample.builder(PortId.of(datapath, reading.number()))
                    .rxPackets(added.count(RX_PACKETS))
                    .rxBytes(added.count(RX_BYTES))
                    .txPackets(added.count(TX_PACKETS))
                    .txBytes(added.count(TX_BYTES))
                    .txDroppedPackets(
                        countsDrops ? added.count(TX_DROPPED) : PortSample.NOT_COUNTED)
                    .intervalNanos(added.intervalNanos())
                    .build());
  }

  /** Forgets all other ports. */
  void retain(Collection<Long> numbers) {
    ports.keySet().retainAll(numbers);
  }

  void clear() {
    ports.clear();
  }
}
