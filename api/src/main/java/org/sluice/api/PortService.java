// SPDX-License-Identifier: Apache-2.0
package org.sluice.api;

import java.util.List;
import java.util.Optional;

/** Reads switch ports as Sluice sees them. */
public interface PortService {

  /** All ports, by id. */
  List<PortStatus> ports();

  Optional<PortStatus> port(PortId id);

  /** As operators read a port's id: with its name, if it has one. */
  default String label(PortId id) {
    return PortId.label(id, port(id).flatMap(PortStatus::name));
  }
}
