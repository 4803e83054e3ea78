// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.registry;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;

/** Ports as the engine has them, with the names that the platform has for them. Thread-safe. */
public final class NamedPorts implements PortService {
  private final PortService ports;
  private final Function<PortId, Optional<String>> names;

  public NamedPorts(PortService ports, Function<PortId, Optional<String>> names) {
    this.ports = ports;
    this.names = names;
  }

  @Override
  public List<PortStatus> ports() {
    return ports.ports().stream().map(this::named).collect(Collectors.toList());
  }

  @Override
  public Optional<PortStatus> port(PortId id) {
    return ports.port(id).map(this::named);
  }

  @Override
  public String label(PortId id) {
    return PortId.label(id, names.apply(id));
  }

  private PortStatus named(PortStatus port) {
    Optional<String> name = names.apply(port.id());
    return name.isEmpty() ? port : port.toBuilder().name(name).build();
  }
}
