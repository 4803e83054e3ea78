// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.sluice.core.runtime.Execution;
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
  private final Subscriptions subscriptions;
  private final OnosLeadership leadership;
  private final OnosCounters counters;
  private final OnosDiagnosis diagnosis;

  OnosPlatform(
      OnosServices onos, OnosForwardingPlatform parts, ForwardingPlane plane, Execution execution) {
    super(parts, plane);
    this.onos = onos;
    subscriptions = new Subscriptions(execution);
    leadership = new OnosLeadership(onos.leadership, onos.cluster.getLocalNode().id());
    counters = new OnosCounters(onos.devices, plane::markMeters);
    diagnosis =
        new OnosDiagnosis(
            onos,
            new ForwardingDiagnosis(parts, plane, onos.application.settings()),
            () ->
                Stream.of(parts.slowListeners(), subscriptions.slow())
                    .flatMap(Optional::stream)
                    .collect(Collectors.joining(", ")));
  }

  /** Listens to ONOS from now on. */
  void start() {
    subscriptions.add(onos.leadership, leadership::changed, handler -> handler::accept, () -> {});
    subscriptions.regularly(leadership::renew);
    subscriptions.add(onos.devices, counters::changed, handler -> handler::accept, () -> {});
  }

  void stop() {
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
