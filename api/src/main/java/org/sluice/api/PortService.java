// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Reads switch ports as Sluice sees them. */
public interface PortService {

  /** All ports, by id. */
  List<PortStatus> ports();

  Optional<PortStatus> port(PortId id);
}
