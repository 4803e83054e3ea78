// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Clock;
import org.sluice.core.testing.FakeLink;

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
}
