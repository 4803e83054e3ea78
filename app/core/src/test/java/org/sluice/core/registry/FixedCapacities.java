// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus.CapacitySource;
import org.sluice.core.spi.Epoch;

/** Ports whose capacities are configured and stay. */
public final class FixedCapacities implements Capacities {
  private final Epoch epoch = new Epoch();
  private final Map<PortId, Capacity> all;

  /** Ports with these capacities. */
  public FixedCapacities(Map<PortId, Long> bitsPerSecond) {
    all =
        bitsPerSecond.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    entry -> new Capacity(entry.getValue(), CapacitySource.CONFIGURED)));
  }

  /** Some ports, all of the same capacity. */
  public FixedCapacities(long bitsPerSecond, PortId... ports) {
    this(Arrays.stream(ports).collect(Collectors.toMap(Function.identity(), p -> bitsPerSecond)));
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Map<PortId, Capacity> all() {
    return all;
  }

  @Override
  public Optional<Capacity> capacity(PortId port) {
    return Optional.ofNullable(all.get(port));
  }
}
