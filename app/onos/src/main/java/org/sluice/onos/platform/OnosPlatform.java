// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import org.onosproject.cluster.LeadershipEventListener;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.NodePlatform;

/** ONOS as the core sees it. */
final class OnosPlatform extends NodePlatform {
  private final OnosServices onos;
  private final Subscriptions subscriptions = new Subscriptions();
  private final OnosLeadership leadership;
  private final OnosCounters counters;
  private final OnosDiagnosis diagnosis;

  OnosPlatform(OnosServices onos, OnosForwardingPlatform parts, ForwardingPlane plane) {
    super(parts, plane);
    this.onos = onos;
    leadership = new OnosLeadership(onos.leadership, onos.cluster);
    counters = new OnosCounters(onos.devices, plane::markMeters);
    diagnosis =
        new OnosDiagnosis(onos, new ForwardingDiagnosis(parts, plane, onos.application.settings()));
  }

  /** Listens to ONOS from now on. */
  void start() {
    subscriptions.add(
        onos.leadership, (LeadershipEventListener) event -> leadership.epoch().advance());
    counters.start();
  }

  void stop() {
    counters.stop();
    subscriptions.end();
  }

  @Override
  public Leadership leadership() {
    return leadership;
  }

  @Override
  public PlatformCounters counters() {
    return counters;
  }

  @Override
  public OperatorConfiguration configuration() {
    return onos.configuration;
  }

  @Override
  public PlatformDiagnosis diagnosis() {
    return diagnosis;
  }
}
