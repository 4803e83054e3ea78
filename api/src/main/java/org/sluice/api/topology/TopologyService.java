// SPDX-License-Identifier: Apache-2.0
package org.sluice.api.topology;

/** Reads the network's topology. */
public interface TopologyService {

  NetworkTopology topology();
}
