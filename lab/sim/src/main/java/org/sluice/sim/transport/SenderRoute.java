// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.transport;

import org.sluice.sim.network.Host;

/** What a sender's route says now, looked up again only when its host's routes have changed. */
final class SenderRoute {
  private final TcpParameters parameters;
  private RouteTable.HostRoutes routes;
  private Host destination;
  private int version;
  private RouteMetrics metrics = RouteMetrics.NONE;

  SenderRoute(TcpParameters parameters) {
    this.parameters = parameters;
  }

  /** A connection begins. */
  void open(Host source, Host to) {
    if (parameters.routes() != null) {
      routes = parameters.routes().of(source);
      destination = to;
      version = routes.version();
      metrics = routes.to(to);
    }
  }

  private RouteMetrics metrics() {
    if (routes != null && routes.version() != version) {
      version = routes.version();
      metrics = routes.to(destination);
    }
    return metrics;
  }

  int initialWindowSegments() {
    int given = metrics().initialWindowSegments();
    return given > 0 ? given : parameters.initialWindowSegments();
  }

  long rtoMinNanos() {
    long given = metrics().rtoMinNanos();
    return given > 0 ? given : parameters.rtoMinNanos();
  }

  /** Both ends have negotiated ECN before: one that needs another is not taken. */
  CongestionControls congestionControl() {
    CongestionControls given = metrics().congestionControl();
    boolean fits = given != null && (given.ecn() == EcnMode.DCTCP) == isDctcp();
    return fits ? given : parameters.congestionControl();
  }

  private boolean isDctcp() {
    return parameters.ecn() == EcnMode.DCTCP;
  }

  /** The lower of both, 0 standing for none. */
  double pacingBitsPerSecond(double ofControl) {
    double ofRoute = metrics().pacingBitsPerSecond();
    return ofControl == 0 ? ofRoute : ofRoute == 0 ? ofControl : Math.min(ofControl, ofRoute);
  }
}
