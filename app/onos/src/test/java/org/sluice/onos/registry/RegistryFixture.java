// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.registry;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.PortStatus;
import org.sluice.onos.journal.Chronicle;
import org.sluice.onos.testing.FakeLink;
import org.sluice.onos.topology.Epoch;

/** The registries, on a link that a test speaks through. */
public final class RegistryFixture {
  public final EndpointRegistry endpoints = new EndpointRegistry();
  public final HostRegistry hosts;

  public RegistryFixture(FakeLink link, Chronicle chronicle) {
    hosts = hosts(link, chronicle);
    endpoints.link = link;
    endpoints.chronicle = chronicle;
    endpoints.activate();
  }

  /** The hosts' registry alone. */
  public static HostRegistry hosts(FakeLink link, Chronicle chronicle) {
    HostRegistry hosts = new HostRegistry();
    hosts.link = link;
    hosts.chronicle = chronicle;
    hosts.activate();
    return hosts;
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
