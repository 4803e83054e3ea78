// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.profile;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.link.EndpointProfile;
import org.sluice.core.spi.Epoch;

/**
 * What each endpoint may send of its tenant's ceiling, as the engine decided last. It changes far
 * more often than what tenants are due. Thread-safe: the engine thread writes, others read.
 */
public final class CeilingParts {
  private final Map<EndpointId, Long> bitsPerSecond = new ConcurrentHashMap<>();
  private final Set<HostId> changedHosts = ConcurrentHashMap.newKeySet();
  private final Epoch epoch = new Epoch();

  /**
   * Takes over what has changed.
   *
   * @param changed bit/s; 0: the endpoint has none any longer
   */
  public void change(Map<EndpointId, Long> changed) {
    changed.forEach(
        (endpoint, part) -> {
          if (part == 0) {
            bitsPerSecond.remove(endpoint);
          } else {
            bitsPerSecond.put(endpoint, part);
          }
          changedHosts.add(endpoint.host());
        });
    epoch.advance();
  }

  /** Advances when something has changed. */
  Epoch epoch() {
    return epoch;
  }

  /** The hosts of endpoints whose parts have changed since the last call. */
  Set<HostId> takeChangedHosts() {
    Set<HostId> taken = new HashSet<>(changedHosts);
    changedHosts.removeAll(taken);
    return taken;
  }

  /** A profile with the endpoint's part in place of the ceiling, where it has both. */
  EndpointProfile applyTo(EndpointProfile profile) {
    Long part = profile.ceilingBitsPerSecond() > 0 ? bitsPerSecond.get(profile.endpoint()) : null;
    return part == null ? profile : profile.withCeiling(part);
  }
}
