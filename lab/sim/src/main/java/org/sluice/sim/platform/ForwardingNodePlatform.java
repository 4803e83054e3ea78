// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.NodePlatform;

/** A simulated network as the core sees it where the controller forwards itself. */
final class ForwardingNodePlatform extends NodePlatform {
  private final Platform network;

  ForwardingNodePlatform(Platform network, ForwardedFabric fabric, ForwardingPlane plane) {
    super(fabric, plane);
    this.network = network;
  }

  @Override
  public String applicationVersion() {
    return network.applicationVersion();
  }

  @Override
  public Leadership leadership() {
    return network.leadership();
  }

  /** Meters that count marks have the simulator's own numbers. */
  @Override
  public PlatformCounters counters() {
    return network.counters();
  }

  @Override
  public OperatorConfiguration configuration() {
    return network.configuration();
  }

  @Override
  public PlatformDiagnosis diagnosis() {
    return network.diagnosis();
  }
}
