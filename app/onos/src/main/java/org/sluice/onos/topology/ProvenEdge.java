// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.onosproject.net.ConnectPoint;
import org.osgi.service.component.annotations.Component;
import org.sluice.api.EndpointId;
import org.sluice.core.spi.Epoch;

/** Remembers where each endpoint answered last. */
@Component(immediate = true, service = EdgeProofs.class)
public class ProvenEdge implements EdgeProofs {
  private final Epoch epoch = new Epoch();
  private final Map<EndpointId, ConnectPoint> answered = new HashMap<>();
  private volatile Set<ConnectPoint> ports = Set.of();

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public void prove(ConnectPoint port, EndpointId endpoint) {
    ConnectPoint plain = new ConnectPoint(port.deviceId(), port.port());
    boolean isNew;
    synchronized (this) {
      isNew = !plain.equals(answered.put(endpoint, plain)) && follow();
    }
    if (isNew) {
      epoch.advance();
    }
  }

  @Override
  public synchronized boolean isProven(ConnectPoint port, EndpointId endpoint) {
    return port.equals(answered.get(endpoint));
  }

  @Override
  public void retain(BiPredicate<ConnectPoint, EndpointId> still) {
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
    Set<ConnectPoint> now = Set.copyOf(answered.values());
    boolean isNew = !now.equals(ports);
    ports = now;
    return isNew;
  }

  @Override
  public Set<ConnectPoint> ports() {
    return ports;
  }
}
