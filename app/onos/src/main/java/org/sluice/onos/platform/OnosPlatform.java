// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import org.osgi.framework.Bundle;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.Version;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Leadership;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.OperatorConfiguration;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.PlatformCounters;
import org.sluice.core.spi.PlatformDiagnosis;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;
import org.sluice.forwarding.ForwardingDiagnosis;
import org.sluice.forwarding.ForwardingPlane;

/** ONOS as the core sees it, with Sluice's own forwarding. */
final class OnosPlatform implements Platform {
  private final OnosServices onos;
  private final OnosForwardingPlatform parts;
  private final ForwardingPlane plane;
  private final OnosLeadership leadership;
  private final OnosCounters counters;
  private final OnosDiagnosis diagnosis;

  OnosPlatform(OnosServices onos, OnosForwardingPlatform parts, ForwardingPlane plane) {
    this.onos = onos;
    this.parts = parts;
    this.plane = plane;
    leadership = new OnosLeadership(onos.leadership, onos.cluster);
    counters = new OnosCounters(onos.devices, plane::markMeters);
    diagnosis =
        new OnosDiagnosis(
            onos,
            parts.otherForwarder(),
            new ForwardingDiagnosis(parts, plane, onos.application.settings()));
  }

  /** Listens to ONOS from now on. */
  void start() {
    leadership.start();
    counters.start();
  }

  void stop() {
    counters.stop();
    leadership.stop();
  }

  @Override
  public String nodeName() {
    return parts.nodes().local();
  }

  @Override
  public String applicationVersion() {
    Bundle bundle = FrameworkUtil.getBundle(OnosPlatform.class);
    if (bundle == null) {
      return "";
    }
    Version version = bundle.getVersion();
    return version.getMajor() + "." + version.getMinor() + "." + version.getMicro();
  }

  @Override
  public Switches switches() {
    return parts.switches();
  }

  @Override
  public Topology topology() {
    return plane.topology();
  }

  @Override
  public Attachments attachments() {
    return plane.attachments();
  }

  @Override
  public HostSightings hostSightings() {
    return parts.hostSightings();
  }

  @Override
  public ForwardingState forwarding() {
    return plane.forwarding();
  }

  @Override
  public EdgeLimits edgeLimits() {
    return plane.forwarding();
  }

  @Override
  public CapMeters capMeters() {
    return plane.caps();
  }

  @Override
  public Mastership mastership() {
    return parts.mastership();
  }

  @Override
  public Leadership leadership() {
    return leadership;
  }

  @Override
  public ReplicatedStorage storage() {
    return parts.storage();
  }

  @Override
  public PacketOut packetOut() {
    return parts.packetOut();
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
