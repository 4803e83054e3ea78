// SPDX-License-Identifier: Apache-2.0
package org.sluice.standalone.platform;

import java.util.Collection;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.TreeMap;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.core.configuration.WrittenConfiguration;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.CapMeter;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.EdgeLimit;
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

/** Surroundings of a controller that agents alone connect to. */
public final class StandalonePlatform implements Platform {
  private final Cluster cluster;
  private final Mastership mastership;
  private final Fabric fabric;
  private final boolean receiversMark;
  private final StandaloneDiagnosis diagnosis;
  private final FabricConfiguration configuration = new FabricConfiguration();

  /** What an operator wrote, over what the fabric's parts carry. */
  private final class FabricConfiguration extends WrittenConfiguration {
    @Override
    public Map<PortId, Long> capacitiesBitsPerSecond() {
      Map<PortId, Long> all = new TreeMap<>(fabric.capacitiesBitsPerSecond());
      all.putAll(super.capacitiesBitsPerSecond());
      return all;
    }
  }

  /** What switches are to do that nobody reaches: nothing, and so it is refused. */
  private static final class NoSwitches
      implements EdgeLimits, CapMeters, PacketOut, PlatformCounters {
    @Override
    public void limit(Collection<EdgeLimit> limits) {
      // Refused.
    }

    @Override
    public void set(Collection<CapMeter> meters) {
      // Likewise.
    }

    @Override
    public boolean isRefusedBy(String datapath) {
      return true;
    }

    @Override
    public void emit(PortId port, byte[] frame) {
      throw new IllegalStateException("no switch is reached that could send it");
    }

    @Override
    public Map<Long, Long> markMeters(String datapath) {
      return Map.of();
    }

    @Override
    public void addListener(CounterListener listener) {
      // Nothing is ever read.
    }

    @Override
    public void removeListener(CounterListener listener) {
      // Likewise.
    }
  }

  private final NoSwitches none = new NoSwitches();

  public StandalonePlatform(
      Cluster cluster, Fabric fabric, boolean receiversMark, StandaloneDiagnosis diagnosis) {
    this.cluster = cluster;
    this.mastership = cluster.mastership();
    this.fabric = fabric;
    this.receiversMark = receiversMark;
    this.diagnosis = diagnosis;
  }

  /** What the operator wrote down. */
  public WrittenConfiguration written() {
    return configuration;
  }

  @Override
  public ClusterNodes nodes() {
    return cluster.nodes();
  }

  /** As Maven wrote it down. */
  @Override
  public String applicationVersion() {
    return ResourceBundle.getBundle("org.sluice.forwarding.version").getString("version");
  }

  @Override
  public boolean reachesSwitches() {
    return false;
  }

  @Override
  public boolean receiversMark() {
    return receiversMark;
  }

  @Override
  public Switches switches() {
    return fabric;
  }

  @Override
  public Topology topology() {
    return fabric;
  }

  @Override
  public Attachments attachments() {
    return fabric;
  }

  @Override
  public HostSightings hostSightings() {
    return fabric;
  }

  @Override
  public ForwardingState forwarding() {
    return fabric;
  }

  @Override
  public EdgeLimits edgeLimits() {
    return none;
  }

  @Override
  public CapMeters capMeters() {
    return none;
  }

  @Override
  public Mastership mastership() {
    return mastership;
  }

  @Override
  public Leadership leadership() {
    return cluster.leadership();
  }

  @Override
  public ReplicatedStorage storage() {
    return cluster.storage();
  }

  @Override
  public PacketOut packetOut() {
    return none;
  }

  @Override
  public PlatformCounters counters() {
    return none;
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
