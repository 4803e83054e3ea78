// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

/** A controller platform, as the core sees it: what an adapter implements. */
public interface Platform {

  /** The nodes of this controller's cluster. */
  ClusterNodes nodes();

  /** This controller node's name in its cluster. */
  default String nodeName() {
    return nodes().local();
  }

  /** Sluice's own version as agents write it, such as 1.2.3; empty: unknown. */
  String applicationVersion();

  Switches switches();

  /**
   * Whether it has connections to switches. Without, nothing is read of them, and none of them is
   * instructed.
   */
  default boolean reachesSwitches() {
    return true;
  }

  /**
   * Whether hosts mark what exceeds their NICs, since no switch does: then an uplink without a
   * receive ceiling of its own has its capacity for one.
   */
  default boolean receiversMark() {
    return false;
  }

  Topology topology();

  Attachments attachments();

  HostSightings hostSightings();

  ForwardingState forwarding();

  EdgeLimits edgeLimits();

  CapMeters capMeters();

  Mastership mastership();

  Leadership leadership();

  ReplicatedStorage storage();

  PacketOut packetOut();

  PlatformCounters counters();

  OperatorConfiguration configuration();

  PlatformDiagnosis diagnosis();
}
