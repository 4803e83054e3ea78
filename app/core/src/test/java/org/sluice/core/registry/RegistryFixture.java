// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Clock;
import org.sluice.core.testing.FakeLink;
import org.sluice.core.testing.MemoryNetwork;
import org.sluice.core.testing.MemoryNode;

/** The registries, on a link that a test reports through. */
public final class RegistryFixture {
  public final EndpointRegistry endpoints;
  public final HostRegistry hosts;

  public RegistryFixture(FakeLink link, NodeJournal journal, Clock clock) {
    hosts = new HostRegistry(link, journal, clock, () -> 5000);
    hosts.start();
    endpoints = new EndpointRegistry(link, journal);
    endpoints.start();
  }

  /** Where a node of a network finds its endpoints; not started. */
  public EndpointLocations locations(MemoryNetwork network, MemoryNode node) {
    return new EndpointLocations(
        network, network, network, endpoints, network, node.mastership(), network.time);
  }
}
