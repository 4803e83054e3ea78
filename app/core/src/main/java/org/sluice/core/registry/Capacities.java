// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Map;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.core.spi.Epoch;

/** What switch ports can carry. */
public interface Capacities {

  /** A port's capacity and who says so. */
  final class Capacity {
    private final long bitsPerSecond;
    private final PortStatus.CapacitySource source;

    /**
     * A capacity.
     *
     * @param bitsPerSecond of whole frames; above 0
     */
    public Capacity(long bitsPerSecond, PortStatus.CapacitySource source) {
      this.bitsPerSecond = bitsPerSecond;
      this.source = source;
    }

    /** Bit/s of whole frames; above 0. */
    public long bitsPerSecond() {
      return bitsPerSecond;
    }

    public PortStatus.CapacitySource source() {
      return source;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Capacity
          && bitsPerSecond == ((Capacity) other).bitsPerSecond
          && source == ((Capacity) other).source;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(bitsPerSecond) * 31 + source.hashCode();
    }
  }

  /** Advances whenever a port came, went or changed its capacity. */
  Epoch epoch();

  /** All ports that are up and whose capacity is known. */
  Map<PortId, Capacity> all();

  Optional<Capacity> capacity(PortId port);
}
