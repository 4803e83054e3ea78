// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import java.util.ResourceBundle;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.CapMeters;
import org.sluice.core.spi.ClusterNodes;
import org.sluice.core.spi.EdgeLimits;
import org.sluice.core.spi.ForwardingState;
import org.sluice.core.spi.HostSightings;
import org.sluice.core.spi.Mastership;
import org.sluice.core.spi.PacketOut;
import org.sluice.core.spi.Platform;
import org.sluice.core.spi.ReplicatedStorage;
import org.sluice.core.spi.Switches;
import org.sluice.core.spi.Topology;
import org.sluice.forwarding.spi.ForwardingPlatform;

/** The core's platform where forwarding is Sluice's own: what an adapter adds is its own. */
public abstract class NodePlatform implements Platform {
  private final ForwardingPlatform platform;
  private final ForwardingPlane plane;

  protected NodePlatform(ForwardingPlatform platform, ForwardingPlane plane) {
    this.platform = platform;
    this.plane = plane;
  }

  /** As Maven wrote it down. */
  @Override
  public String applicationVersion() {
    return ResourceBundle.getBundle("org.sluice.forwarding.version").getString("version");
  }

  @Override
  public ClusterNodes nodes() {
    return platform.nodes();
  }

  @Override
  public Switches switches() {
    return platform.switches();
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
    return platform.hostSightings();
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
    return platform.mastership();
  }

  @Override
  public ReplicatedStorage storage() {
    return platform.storage();
  }

  @Override
  public PacketOut packetOut() {
    return platform.packetOut();
  }
}
