// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine;

import java.util.List;
import java.util.Optional;
import org.sluice.api.PortId;
import org.sluice.api.PortService;
import org.sluice.api.PortStatus;

/**
 * The ports as of the engine thread's last evaluation. Thread-safe: the engine's thread calls
 * {@link #update} with {@link Engine#portStatuses}, anyone reads.
 */
public final class PortSnapshot implements PortService {
  private volatile List<PortStatus> ports = List.of();

  /**
   * Replaces the snapshot.
   *
   * @param statuses by id
   */
  public void update(List<PortStatus> statuses) {
    ports = List.copyOf(statuses);
  }

  @Override
  public List<PortStatus> ports() {
    return ports;
  }

  @Override
  public Optional<PortStatus> port(PortId id) {
    return ports.stream().filter(status -> status.id().equals(id)).findFirst();
  }
}
