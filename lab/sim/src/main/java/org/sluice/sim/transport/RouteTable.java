// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import java.util.HashMap;
import java.util.Map;
import org.sluice.sim.network.Endpoint;
import org.sluice.sim.network.Host;

/**
 * What hosts' routes say about TCP, as route metrics of a kernel do. They may change at any time: a
 * new connection takes initial window and congestion control from them, an open one RTO_min and
 * pacing, too.
 */
public final class RouteTable {
  private final Map<Host, HostRoutes> hosts = new HashMap<>();

  /** Of one host; the same for ever. */
  HostRoutes of(Host host) {
    return hosts.computeIfAbsent(host, none -> new HostRoutes());
  }

  /**
   * Replaces what a host's routes say.
   *
   * @param toAll towards destinations without metrics of their own
   * @param toOne by destination
   */
  public void replace(Host host, RouteMetrics toAll, Map<Host, RouteMetrics> toOne) {
    HostRoutes routes = of(host);
    routes.toAll = toAll;
    routes.toOne = Map.copyOf(toOne);
    routes.version++;
  }

  /** What holds from a host to an endpoint now. */
  public RouteMetrics metrics(Host host, Endpoint destination) {
    return of(host).to(destination.host());
  }

  /** A host's routes, with a version by which a change is seen. */
  static final class HostRoutes {
    private Map<Host, RouteMetrics> toOne = Map.of();
    private RouteMetrics toAll = RouteMetrics.NONE;
    private int version;

    int version() {
      return version;
    }

    RouteMetrics to(Host destination) {
      return toOne.isEmpty() ? toAll : toOne.getOrDefault(destination, toAll);
    }
  }
}
