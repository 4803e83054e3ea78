// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import org.sluice.api.counters.CounterReader;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.ClusterNodes;
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
import org.sluice.core.virtual.ProcessStorage;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.host.Addresses;

/** A simulated network, as the only node of a cluster sees it. */
final class SimulatedPlatform implements Platform {
  private final SimulatedSwitches switches;
  private final SimulatedTopology topology;
  private final SimulatedHosts hosts;
  private final SimulatedCounters counters;
  private final EdgeMeters edgeMeters;
  private final CapMeters capMeters = new NoCapMeters();
  private final SoleNode roles = new SoleNode();
  private final Mastership mastership = roles.mastership();
  private final Leadership leadership = roles.leadership();
  private final ReplicatedStorage storage = new ProcessStorage();
  private final OperatorConfiguration configuration = new NoConfiguration();
  private final PlatformDiagnosis diagnosis = new NoDiagnosis();

  SimulatedPlatform(
      Network network, Addresses addresses, SwitchNames names, ControlChannels channels) {
    switches = new SimulatedSwitches(names);
    topology = new SimulatedTopology(network, names);
    hosts = new SimulatedHosts(network, addresses, names, topology);
    counters = new SimulatedCounters(network.scheduler(), names, channels);
    edgeMeters = new EdgeMeters(names, addresses, network.scheduler());
  }

  /** The node starts, perhaps again. */
  void start() {
    roles.start();
  }

  /** Links or routes have changed, or endpoints have moved. */
  void topologyChanged() {
    topology.changed();
    hosts.changed();
    switches.epoch().advance();
  }

  /** Opens the connections over which switches are read. */
  CounterReader.Factory counterReaders() {
    return counters;
  }

  @Override
  public ClusterNodes nodes() {
    return roles;
  }

  @Override
  public String applicationVersion() {
    return "";
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
    return hosts;
  }

  @Override
  public HostSightings hostSightings() {
    return hosts;
  }

  @Override
  public ForwardingState forwarding() {
    return topology;
  }

  @Override
  public EdgeLimits edgeLimits() {
    return edgeMeters;
  }

  @Override
  public CapMeters capMeters() {
    return capMeters;
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

  /** No frame is a packet of a simulation: agents get by the link what would go in band. */
  @Override
  public PacketOut packetOut() {
    return (port, frame) -> {
      throw new IllegalStateException("a simulated switch sends no frame that a controller made");
    };
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
