// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.kubernetes;

import java.util.List;
import java.util.Optional;
import org.sluice.api.Endpoint;
import org.sluice.api.EndpointId;
import org.sluice.api.EndpointService;
import org.sluice.api.IpAddress;

/** Endpoints that a test lists; nobody looks for one alone. */
record EndpointsInMemory(List<Endpoint> all) implements EndpointService {
  @Override
  public List<Endpoint> endpoints() {
    return List.copyOf(all);
  }

  @Override
  public Optional<Endpoint> endpoint(EndpointId id) {
    return Optional.empty();
  }

  @Override
  public Optional<Endpoint> endpoint(IpAddress ip) {
    return Optional.empty();
  }
}
