// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.List;
import java.util.Map;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;

/**
 * The links between switches. A switch that is away may have lost its controller alone and go on
 * forwarding: its links count as long as its neighbours' ports are up.
 */
public interface Topology {

  /** Advances whenever a link or a switch came or went. */
  Epoch epoch();

  /** Each port that leads to another switch, and the port there. */
  Map<PortId, PortId> peers();

  /** Whether packets arrive from, or leave for, another switch at a port. */
  boolean isInterSwitch(PortId port);

  /**
   * The egress ports from one switch to another, each with the part of the traffic that leaves by
   * it when every switch spreads evenly over all shortest paths.
   *
   * @return empty if there is no path; not for two equal switches
   */
  List<PathShare> equalCostPaths(String fromDatapath, String toDatapath);

  /**
   * The egress ports from one switch to another that Sluice's routes to a destination take, in
   * their order, where all that goes to a destination takes one path.
   *
   * @return empty if there is no path; not for two equal switches
   */
  List<PortId> routedPath(String fromDatapath, String toDatapath, IpAddress destination);
}
