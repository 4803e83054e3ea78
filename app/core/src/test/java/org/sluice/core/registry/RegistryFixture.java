// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Clock;
import org.sluice.core.spi.Epoch;
import org.sluice.core.testing.FakeLink;

/** The registries, on a link that a test reports through. */
public final class RegistryFixture {
  public final EndpointRegistry endpoints;
  public final HostRegistry hosts;

  public RegistryFixture(FakeLink link, NodeJournal journal, Clock clock) {
    hosts = new HostRegistry(link, journal, clock);
    hosts.start();
    endpoints = new EndpointRegistry(link, journal);
    endpoints.start();
  }

  /** Ports with these capacities, all configured. */
  public static Capacities capacities(Map<PortId, Long> bitsPerSecond) {
    Map<PortId, Capacities.Capacity> all = new HashMap<>();
    bitsPerSecond.forEach(
        (port, rate) ->
            all.put(port, new Capacities.Capacity(rate, PortStatus.CapacitySource.CONFIGURED)));
    Epoch epoch = new Epoch();
    return new Capacities() {
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
    };
  }
}
