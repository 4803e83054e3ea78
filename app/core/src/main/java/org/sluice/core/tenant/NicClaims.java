// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.tenant;

import java.util.HashMap;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.PortId;

/**
 * Which capacities of NICs count where guarantees are admitted. A host that lies about its own must
 * not have others' guarantees refused: a port is at the other end of the NIC's cable, so what is
 * far below the port's capacity is not believed, and the port's alone counts.
 */
public final class NicClaims {
  /** So many times slower than its edge port no NIC is. */
  private static final int FAR_BELOW = 10;

  private final Map<PortId, Long> edgePorts;

  /** By host: the fastest port behind which an endpoint of it is. */
  private final Map<HostId, PortId> fastest = new HashMap<>();

  /**
   * Claims beside these ports.
   *
   * @param edgePorts their capacities, bit/s
   */
  public NicClaims(Map<PortId, Long> edgePorts) {
    this.edgePorts = edgePorts;
  }

  /** An endpoint of a host is behind a port. */
  public void attached(HostId host, PortId port) {
    if (edgePorts.containsKey(port)) {
      fastest.merge(host, port, (a, b) -> edgePorts.get(a) >= edgePorts.get(b) ? a : b);
    }
  }

  /** The port that speaks against what a host says of its NIC; null: none does. */
  public PortId contradicting(HostId host, long nicBitsPerSecond) {
    PortId port = fastest.get(host);
    return port != null && nicBitsPerSecond < edgePorts.get(port) / FAR_BELOW ? port : null;
  }
}
