// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.sluice.api.EndpointId;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;

/**
 * Ports that are edge ports for certain: an endpoint that an agent reports has answered there to a
 * question of ours, and such answers are not forwarded. What discovers links can be deceived: a VM
 * that passes on the probes of link discovery makes its port look like one to another switch. Of
 * each endpoint the last answer counts. Thread-safe.
 */
public final class ProvenEdge {
  private final Epoch epoch = new Epoch();
  private final Map<EndpointId, PortId> answered = new HashMap<>();
  private volatile Set<PortId> ports = Set.of();

  /** Advances whenever a port was proven, or is proven no longer. */
  public Epoch epoch() {
    return epoch;
  }

  /** The endpoint answered there, and so is not behind any other port. */
  public void prove(PortId port, EndpointId endpoint) {
    boolean isNew;
    synchronized (this) {
      isNew = !port.equals(answered.put(endpoint, port)) && follow();
    }
    if (isNew) {
      epoch.advance();
    }
  }

  public synchronized boolean isProven(PortId port, EndpointId endpoint) {
    return port.equals(answered.get(endpoint));
  }

  /** Keeps what holds on; port by endpoint. */
  public void retain(BiPredicate<PortId, EndpointId> still) {
    boolean isNew;
    synchronized (this) {
      isNew =
          answered.entrySet().removeIf(entry -> !still.test(entry.getValue(), entry.getKey()))
              && follow();
    }
    if (isNew) {
      epoch.advance();
    }
  }

  /** Whether other ports are proven now than before. */
  private boolean follow() {
    Set<PortId> now = Set.copyOf(answered.values());
    boolean isNew = !now.equals(ports);
    ports = now;
    return isNew;
  }

  /** All proven ports. */
  public Set<PortId> ports() {
    return ports;
  }
}
