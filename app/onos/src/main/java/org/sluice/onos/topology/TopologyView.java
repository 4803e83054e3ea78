// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.Map;
import java.util.Set;
import org.onosproject.net.ConnectPoint;
import org.sluice.core.spi.Epoch;

/**
 * The switches' side of the network as Sluice sees it now. A switch that is away may have lost its
 * controller alone, and go on forwarding: its links count as long as its neighbours' ports are up.
 */
public interface TopologyView {

  /** Advances whenever a link or switch came or went. */
  Epoch epoch();

  ShortestPaths paths();

  /** Ports on which packets arrive from, or leave for, another switch. */
  Set<ConnectPoint> interSwitchPorts();

  /** Each port that leads to another switch, and the port there. */
  Map<ConnectPoint, ConnectPoint> peers();

  /**
   * Links that are announced and do not count, since endpoints were found behind one of their ends:
   * by that end.
   */
  Map<ConnectPoint, ConnectPoint> refusedLinks();
}
