// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.platform;

import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.forwarding.NodePlatform;
import org.sluice.odl.line.Mdsal;
import org.sluice.odl.openflow.OdlCounters;

/** OpenDaylight as the core sees it. */
final class OdlPlatform extends NodePlatform {
  private final OdlForwardingPlatform parts;
  private final OperatorConfiguration configuration;
  private final OdlCounters counters;
  private final PlatformDiagnosis diagnosis;

  OdlPlatform(
      Mdsal mdsal,
      Execution execution,
      OdlForwardingPlatform parts,
      ForwardingPlane plane,
      OperatorConfiguration configuration,
      Settings settings) {
    super(parts, plane);
    this.parts = parts;
    this.configuration = configuration;
    counters = new OdlCounters(mdsal, parts.switches(), execution, plane::markMeters);
    diagnosis =
        new OdlDiagnosis(
            new ForwardingDiagnosis(parts, plane, settings), parts::meterChangesRefused);
  }

  void start() {
    counters.start();
  }

  void stop() {
    counters.stop();
  }

  @Override
  public Leadership leadership() {
    return parts.leadership();
  }

  @Override
  public PlatformCounters counters() {
    return counters;
  }

  @Override
  public OperatorConfiguration configuration() {
    return configuration;
  }

  @Override
  public PlatformDiagnosis diagnosis() {
    return diagnosis;
  }
}
