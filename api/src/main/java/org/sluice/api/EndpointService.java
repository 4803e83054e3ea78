// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Reads endpoints. */
public interface EndpointService {

  /** All known endpoints, by id. */
  List<Endpoint> endpoints();

  Optional<Endpoint> endpoint(EndpointId id);

  Optional<Endpoint> endpoint(IpAddress ip);
}
