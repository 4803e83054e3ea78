// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.sluice.api.link.ReportedEndpoint;

/** All endpoints at an epoch, in a list that is made once. Immutable. */
public final class EndpointListing {
  public static final EndpointListing EMPTY = new EndpointListing(0, List.of());

  private final long epoch;
  private final List<ReportedEndpoint> endpoints;

  private EndpointListing(long epoch, List<ReportedEndpoint> endpoints) {
    this.epoch = epoch;
    this.endpoints = endpoints;
  }

  /** The same, or if it is of another epoch one of the endpoints that there are. */
  public EndpointListing at(long now, Supplier<Collection<ReportedEndpoint>> all) {
    return now == epoch ? this : new EndpointListing(now, List.copyOf(all.get()));
  }

  public List<ReportedEndpoint> endpoints() {
    return endpoints;
  }
}
