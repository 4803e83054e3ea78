// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.application;

import java.util.List;
import java.util.SplittableRandom;
import org.sluice.sim.network.Endpoint;

/** Draws who sends to whom: any source, and any destination on another host, all alike. */
public final class EndpointPairs {
  private final List<Endpoint> sources;
  private final List<Endpoint> destinations;

  /**
   * @throws IllegalArgumentException if some source has no destination on another host
   */
  public EndpointPairs(List<Endpoint> sources, List<Endpoint> destinations) {
    this.sources = List.copyOf(sources);
    this.destinations = List.copyOf(destinations);
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("there must be a source");
    }
    for (Endpoint source : sources) {
      if (destinations.stream().allMatch(each -> each.host() == source.host())) {
        throw new IllegalArgumentException(
            "source " + source.name() + " has no destination on another host");
      }
    }
  }

  Endpoint source(SplittableRandom random) {
    return sources.get(random.nextInt(sources.size()));
  }

  /** One of the destinations, each as likely, on another host than the source's. */
  public Endpoint destination(Endpoint source, SplittableRandom random) {
    while (true) {
      Endpoint drawn = destinations.get(random.nextInt(destinations.size()));
      if (drawn.host() != source.host()) {
        return drawn;
      }
    }
  }
}
