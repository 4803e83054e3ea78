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
import org.sluice.onos.forwarding.OtherForwarder;

/** ONOS as the core sees it. */
final class OnosPlatform implements Platform {
  private final OnosServices onos;
  private final OnosSwitches switches;
  private final OnosTopology topology;
  private final OnosAttachments attachments;
  private final OnosHostSightings sightings;
  private final OnosMastership mastership;
  private final OnosLeadership leadership;
  private final OnosStorage storage;
  private final OnosPacketOut packetOut;
  private final OnosCounters counters;
  private final OnosDiagnosis diagnosis;

  OnosPlatform(OnosServices onos) {
    this.onos = onos;
    switches = new OnosSwitches(onos.devices);
    topology = new OnosTopology(onos.topology);
    attachments = new OnosAttachments(onos.attachments);
    sightings = new OnosHostSightings(onos.hosts);
    mastership = new OnosMastership(onos.mastership);
    leadership = new OnosLeadership(onos.leadership, onos.cluster);
    storage = new OnosStorage(onos.storage);
    packetOut = new OnosPacketOut(onos.packets);
    counters = new OnosCounters(onos.application.id(), onos.devices, onos.flows);
    diagnosis = new OnosDiagnosis(onos, new OtherForwarder(onos.applications));
  }

  /** Listens to ONOS from now on. */
  void start() {
    switches.start();
    sightings.start();
    mastership.start();
    leadership.start();
    counters.start();
  }

  void stop() {
    counters.stop();
    leadership.stop();
    mastership.stop();
    sightings.stop();
    switches.stop();
  }

  @Override
  public String nodeName() {
    return onos.cluster.getLocalNode().id().toString();
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
    return switches;
  }

  @Override
  public Topology topology() {
    return topology;
  }

  @Override
  public Attachments attachments() {
    return attachments;
  }

  @Override
  public HostSightings hostSightings() {
    return sightings;
  }

  @Override
  public ForwardingState forwarding() {
    return onos.forwarding;
  }

  @Override
  public EdgeLimits edgeLimits() {
    return onos.edgeLimits;
  }

  @Override
  public CapMeters capMeters() {
    return onos.capMeters;
  }

  @Override
  public Mastership mastership() {
    return mastership;
  }

  @Override
  public Leadership leadership() {
    return leadership;
  }

  @Override
  public ReplicatedStorage storage() {
    return storage;
  }

  @Override
  public PacketOut packetOut() {
    return packetOut;
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
