// SPDX-License-Identifier: Apache-2.0
package org.sluice.cli;

import java.util.List;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;

/** A port that has a name, among others that have none. */
final class NamedPorts implements PortService {
  private final PortId named;
  private final String name;

  NamedPorts(PortId named, String name) {
    this.named = named;
    this.name = name;
  }

  @Override
  public List<PortStatus> ports() {
    return List.of();
  }

  @Override
  public Optional<PortStatus> port(PortId id) {
    return Optional.empty();
  }

  @Override
  public String label(PortId id) {
    return PortId.label(id, Optional.of(name).filter(known -> id.equals(named)));
  }
}
